// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "core/base/math.h"
#include "direct/args.h"
#include "direct/config.h"

namespace gridwise::direct {

/// Shared by the direct kernels: lanes along channels, and windows of pixels along w.

template <DirectConfig kC>
using DirectVec = Vec<Element<kC.type>, kC.channels>;

/// The type of sums of products.
template <DirectConfig kC>
using DirectSum = Element<SumType(kC.type)>;

/// Whether FMAs do not take halves, so that operands are converted once for all their products, and
/// hardware checks no ranges, so that out-of-range elements are set to 0 before any load.
template <Gfx kGfx>
inline constexpr bool kConvertsFirst = KindOf(kGfx) == TargetKind::kHopper;

/// Element `e` of a lane's vector, as a factor of its sums.
template <DirectConfig kC, int kN>
GRIDWISE_DEVICE DirectSum<kC> ToFactor(Vec<Element<kC.type>, kN> elements, int e) {
  if constexpr (kC.type == DataType::kI8) {
    return static_cast<signed char>(elements[e]);
#if !defined(__NVPTX__)  // no instance there has 8-bit floats
  } else if constexpr (SizeOf(kC.type) == 1) {
    // The instructions use the target's own 8-bit format, and convert two elements at once.
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

/// A lane's channels of a pixel, converted.
template <DirectConfig kC>
using DirectFactors = DirectSum<kC>[kC.channels];

template <DirectConfig kC, int kPixels>
GRIDWISE_DEVICE void Convert(const DirectVec<kC> (&from)[kPixels],
                             DirectFactors<kC> (&to)[kPixels]) {
#pragma unroll
  for (int i = 0; i < kPixels; ++i) {
#pragma unroll
    for (int e = 0; e < kC.channels; ++e) to[i][e] = ToFactor<kC, kC.channels>(from[i], e);
  }
}

/// Element `e` of a pixel, as it was loaded or converted.
template <DirectConfig kC>
GRIDWISE_DEVICE DirectSum<kC> FactorOf(const DirectVec<kC>& pixel, int e) {
  return ToFactor<kC, kC.channels>(pixel, e);
}
template <DirectConfig kC>
GRIDWISE_DEVICE DirectSum<kC> FactorOf(const DirectFactors<kC>& pixel, int e) {
  return pixel[e];
}

GRIDWISE_DEVICE float MultiplyAdd(float a, float b, float sum) { return __builtin_fmaf(a, b, sum); }
GRIDWISE_DEVICE int MultiplyAdd(int a, int b, int sum) { return a * b + sum; }

/// Bit e is set if a factor of channel e is infinite or NaN: padding, a 0, times it is NaN.
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

/// `offset`, or kOutOfRange if the condition does not hold. It is not combined with other bits of
/// the offset, because a uniform offset is still added to it.
GRIDWISE_DEVICE unsigned OffsetIf(bool condition, int offset) {
  return condition ? static_cast<unsigned>(offset) : Buffer::kOutOfRange;
}

/// Whether pixel `i` of an axis of `size` pixels exists.
GRIDWISE_DEVICE bool IsPixel(int i, int size) {
  return static_cast<unsigned>(i) < static_cast<unsigned>(size);
}

}  // namespace gridwise::direct
