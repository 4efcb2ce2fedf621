// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/gpu.h"
#include "core/arch/target.h"

namespace gridwise {

/// Consecutive LDS, 16 bytes per lane, that a wave's loads fill: from `first` on, which is the same
/// in all lanes.
struct LdsPiece {
  char* first;
};

/// A Buffer (memory.h): the hardware's range check masks accesses. Its limit is 2^31 - 1 bytes,
/// whatever the tensor's size. Generations differ in whether the limit counts the uniform offset;
/// with this limit, both agree on which accesses are out of range. Source: CDNA3 ISA, section 9.1.5
/// (range checking of raw buffers, per dword).
class Buffer {
 public:
  /// The offset bit that puts any access out of range.
  static constexpr unsigned kOutOfRange = 0x80000000u;

  /// kOutOfRange if bit `i` of `bits` is set, else 0.
  GRIDWISE_DEVICE static unsigned OutOfRangeIf(unsigned bits, int i) {
    return (bits << (31 - i)) & kOutOfRange;
  }

  Buffer() = default;

  template <Gfx kGfx>
  GRIDWISE_DEVICE static Buffer From(const void* base) {
    return Buffer(__builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(base), 0, 0x7fffffff,
                                                    TraitsOf(kGfx).buffer_format));
  }

  /// Loads T, of 1, 2, 4, 8 or 16 bytes, at `offset` (of this lane) + `uniform_offset` (of the
  /// wave), both in bytes.
  template <class T>
  GRIDWISE_DEVICE T Load(unsigned offset, int uniform_offset) const {
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0);
    if constexpr (sizeof(T) == 1) {
      return __builtin_bit_cast(
          T, __builtin_amdgcn_raw_buffer_load_b8(resource_, offset, uniform_offset, 0));
    } else if constexpr (sizeof(T) == 2) {
      return __builtin_bit_cast(
          T, __builtin_amdgcn_raw_buffer_load_b16(resource_, offset, uniform_offset, 0));
    } else if constexpr (sizeof(T) == 4) {
      return __builtin_bit_cast(
          T, __builtin_amdgcn_raw_buffer_load_b32(resource_, offset, uniform_offset, 0));
    } else if constexpr (sizeof(T) == 8) {
      return __builtin_bit_cast(
          T, __builtin_amdgcn_raw_buffer_load_b64(resource_, offset, uniform_offset, 0));
    } else {
      return __builtin_bit_cast(
          T, __builtin_amdgcn_raw_buffer_load_b128(resource_, offset, uniform_offset, 0));
    }
  }

  /// The same, into a value that is already 0 if the offset is out of range.
  template <class T>
  GRIDWISE_DEVICE void LoadAgain(T& to, unsigned offset, int uniform_offset) const {
    to = Load<T>(offset, uniform_offset);
  }

  /// Starts a load of 16 bytes per lane straight to LDS; lanes out of range write zeros there. It
  /// counts as a load of the wave, see BarrierLoads. Requires TargetTraits::loads_vectors_to_lds.
  /// Source: CDNA4 ISA, "Memory Buffer Load to LDS".
  GRIDWISE_DEVICE void LoadToLds(LdsPiece to, unsigned offset, int uniform_offset) const;

  /// Adds to the float at `offset` bytes, atomically among all workgroups of the device.
  template <Gfx kGfx>
  GRIDWISE_DEVICE void AtomicAdd(float value, unsigned offset) const {
    __builtin_amdgcn_raw_ptr_buffer_atomic_fadd_f32(value, resource_, offset, 0,
                                                    TraitsOf(kGfx).atomic_policy);
  }

  /// Stores T, of 2, 4, 8 or 16 bytes, at `offset` + `uniform_offset` bytes.
  template <class T>
  GRIDWISE_DEVICE void Store(T value, unsigned offset, int uniform_offset = 0) const {
    static_assert(sizeof(T) >= 2 && sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0);
    if constexpr (sizeof(T) == 2) {
      __builtin_amdgcn_raw_buffer_store_b16(__builtin_bit_cast(unsigned short, value), resource_,
                                            offset, uniform_offset, 0);
    } else if constexpr (sizeof(T) == 4) {
      __builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(unsigned, value), resource_, offset,
                                            uniform_offset, 0);
    } else if constexpr (sizeof(T) == 8) {
      __builtin_amdgcn_raw_buffer_store_b64(__builtin_bit_cast(Vec<unsigned, 2>, value), resource_,
                                            offset, uniform_offset, 0);
    } else {
      __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(Vec<unsigned, 4>, value), resource_,
                                             offset, uniform_offset, 0);
    }
  }

 private:
  GRIDWISE_DEVICE explicit Buffer(__amdgpu_buffer_rsrc_t resource) : resource_(resource) {}

  __amdgpu_buffer_rsrc_t resource_;
};

#if defined(__gfx950__)  // elsewhere the compiler has no loads of 16 bytes
GRIDWISE_DEVICE void Buffer::LoadToLds(LdsPiece to, unsigned offset, int uniform_offset) const {
  using Lds = __attribute__((address_space(3))) void;
  __builtin_amdgcn_raw_ptr_buffer_load_lds(resource_, (Lds*)to.first, 16, offset, uniform_offset, 0,
                                           0);
}
#endif

/// `at` is the address of 4 elements of 2 bytes in one of the 4 lines that 16 lanes read together:
/// lane % 16 / 4 is the line, and lane % 4 the position in it.
///
/// Reads them transposed: a lane gets, from each of the 4 lines, the element whose number is the
/// lane's own among the 16. Source: CDNA4 ISA, DS_READ_B64_TR_B16.
///
/// Nothing else writes there meanwhile. Without `__restrict__`, the compiler makes the read wait
/// for all of the wave's loads to LDS, wherever these go.
template <class T>
GRIDWISE_DEVICE T ReadTransposed(const char* __restrict__ lds) {
  static_assert(sizeof(T) == 8);
  using Lds = __attribute__((address_space(3))) Vec<short, 4>;
  return __builtin_bit_cast(T, __builtin_amdgcn_ds_read_tr16_b64_v4i16((Lds*)lds));
}

}  // namespace gridwise
