#pragma once

#include "core/arch/memory.h"
#include "core/base/math.h"
#include "direct/args.h"
#include "direct/config.h"

namespace gridwise::direct {

/// What the direct kernels share: lanes along channels, and windows of pixels along w.

template <DirectConfig kC>
using DirectVec = Vec<Element<kC.type>, kC.channels>;

/// What products of two elements are added up in.
template <DirectConfig kC>
using DirectSum = Element<SumType(kC.type)>;

/// Whether FMAs take no halves, so that operands are converted once for all their products, and no
/// hardware checks ranges, so that what is out of range is 0 before anything is loaded.
template <Gfx kGfx>
inline constexpr bool kConvertsFirst = KindOf(kGfx) == TargetKind::kHopper;

/// Element `e` of a lane's as a factor of its sums.
template <DirectConfig kC, int kN>
GRIDWISE_DEVICE DirectSum<kC> ToFactor(Vec<Element<kC.type>, kN> elements, int e) {
  if constexpr (kC.type == DataType::kI8) {
    return static_cast<signed char>(elements[e]);
#if !defined(__NVPTX__)  // whose rows are of no floats of 8 bits
  } else if constexpr (SizeOf(kC.type) == 1) {
    // The instructions know the target's own flavour of 8-bit floats, and convert two at once.
    static_assert(kN <= 4);
    Vec<unsigned char, 4> codes = {};
    for (int i = 0; i < kN; ++i) codes[i] = elements[i];
    const int bits = __builtin_bit_cast(int, codes);
    return (e < 2 ? __builtin_amdgcn_cvt_pk_f32_fp8(bits, false)
                  : __builtin_amdgcn_cvt_pk_f32_fp8(bits, true))[e % 2];
#endif
  } else {
    return static_cast<float>(elements[e]);
  }
}

GRIDWISE_DEVICE float MultiplyAdd(float a, float b, float sum) { return __builtin_fmaf(a, b, sum); }
GRIDWISE_DEVICE int MultiplyAdd(int a, int b, int sum) { return a * b + sum; }

/// Bit e is set where a factor of channel e is infinite or NaN: padding, a 0, times it is NaN.
template <int kN, int kChannels>
GRIDWISE_DEVICE unsigned NotFinite(const float (&factors)[kN][kChannels]) {
  unsigned channels = 0;
#pragma unroll
  for (int e = 0; e < kChannels; ++e) {
    float zero = 0;
#pragma unroll
    for (int i = 0; i < kN; ++i) zero = MultiplyAdd(0.0f, factors[i][e], zero);
    channels |= (zero != 0 ? 1u : 0u) << e;
  }
  return channels;
}

/// `sum`, or NaN if bit `i` of `spoiled` is set.
GRIDWISE_DEVICE float SpoiledSum(float sum, unsigned spoiled, int i) {
  return (spoiled >> i & 1) != 0 ? __builtin_nanf("") : sum;
}

/// Index of the wave in its workgroup, and of the lane in its wave.
template <Gfx kGfx>
GRIDWISE_DEVICE int WaveOfGroup() {
  return Uniform(ThreadId() / TraitsOf(kGfx).wave_size);
}
template <Gfx kGfx>
GRIDWISE_DEVICE int LaneOfWave() {
  return ThreadId() % TraitsOf(kGfx).wave_size;
}

/// `offset`, or kOutOfRange where a condition does not hold: not with other bits of the offset set,
/// to which a uniform offset is still added.
GRIDWISE_DEVICE unsigned OffsetIf(bool condition, int offset) {
  return condition ? static_cast<unsigned>(offset) : Buffer::kOutOfRange;
}

/// Whether pixel `i` of an axis of `size` pixels exists.
GRIDWISE_DEVICE bool IsPixel(int i, int size) {
  return static_cast<unsigned>(i) < static_cast<unsigned>(size);
}

}  // namespace gridwise::direct
