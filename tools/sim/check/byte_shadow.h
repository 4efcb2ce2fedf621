// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace gridwise::sim {

/// The bits of a few bytes that are undefined, and the origin of one of them.
struct ShadowBytes {
  static constexpr uint32_t kMax = 64;  // a scalar load of 16 dwords
  uint8_t bits[kMax] = {};
  uint32_t origin = 0;
  bool any = false;
};

/// Which bits of LDS or of a lane's scratch are undefined: at first, all.
class ByteShadow {
 public:
  explicit ByteShadow(uint32_t bytes = 0) : bits_(bytes, 0xff), origins_((bytes + 3) / 4) {}

  /// ORs the undefined bits of the byte at `offset` into byte `i` of `out`.
  void Load(uint32_t offset, uint32_t i, ShadowBytes& out) const {
    out.bits[i] = bits_[offset];
    if (bits_[offset] == 0 || out.any) return;
    out.any = true;
    out.origin = origins_[offset / 4];
  }
  void Store(uint32_t offset, uint8_t bits, uint32_t origin) {
    bits_[offset] = bits;
    if (bits != 0) origins_[offset / 4] = origin;
  }
  /// Whether all of [offset, offset + bytes) is defined.
  bool IsDefined(uint32_t offset, uint32_t bytes) const {
    uint8_t any = 0;
    for (uint32_t i = 0; i < bytes; ++i) any |= bits_[offset + i];
    return any == 0;
  }
  void Define(uint32_t offset, uint32_t bytes) { std::memset(&bits_[offset], 0, bytes); }

 private:
  std::vector<uint8_t> bits_;
  std::vector<uint32_t> origins_;  // one per dword
};

}  // namespace gridwise::sim
