// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/target.h"
#include "core/base/types.h"
#include "core/text/instance_fields.h"

namespace gridwise::direct {

/// A direct kernel, as a value: no matrix unit, and LDS for weights alone. Lanes lie along
/// channels, each sums products of its own channels, and what differs from pixel to pixel is the
/// same in all lanes of a wave. For groups of few channels, depthwise ones above all.
struct DirectConfig {
  DataType type = DataType::kF16;  // of the operands; sums are of SumType(type)
  int channels = 1;                // consecutive ones of a lane; more than 1: of depthwise problems
  int pixels = 8;                  // consecutive output pixels along w per lane
  // Filter taps along w at a time. With several, a lane loads the source pixels that they and the
  // output pixels have in common once; `stride` is the number of source pixels from one output
  // pixel to the next, and taps are one source pixel apart. With one tap, both distances are
  // arbitrary, and `stride` is 0.
  int taps = 1, stride = 0;
  // Forward and backward-data: consecutive rows of pixels that a lane works on while LDS holds the
  // weights. With several rows, `stride` also holds along h, and taps are one apart there. 0: one
  // row, and lanes load the weights where they use them.
  // Backward-weight: consecutive rows of taps along h whose sums a lane holds. The lane walks along
  // h with as many rows of dy in registers. With several rows, the distance of taps along h is the
  // distance of the source pixels that outputs meet. 0: one row, along which the lane walks.
  Omittable<0> rows = {};
  // Hopper: workgroups per SM for which registers must suffice. Fewer workgroups wait for memory;
  // more have fewer registers each and spill sums. 0: as many as the assembler leaves room for.
  Omittable<0> resident = {};

  /// Its name: f16_ch2_pixels8_taps3_stride1, or
  /// f16_ch2_pixels8_taps3_stride1_rows2_res3.
  static constexpr void Fields(auto& self, auto&& visit) {
    auto& [type, channels, pixels, taps, stride, rows, resident] = self;
    visit("", type);
    visit("ch", channels);
    visit("pixels", pixels);
    visit("taps", taps);
    visit("stride", stride);
    visit("rows", rows);
    visit("res", resident);
  }
  bool operator==(const DirectConfig&) const = default;

  constexpr int rows_of_lane() const { return rows > 0 ? +rows : 1; }
  constexpr bool has_resident_weights() const { return rows > 0; }
  /// Maximum number of rows of `taps` taps whose weights LDS holds: those of a square filter, or of
  /// 3x3x3.
  constexpr int tap_rows() const { return taps == 3 ? 9 : taps; }

  /// Source pixels along w that the lane's output pixels meet in `taps` taps.
  constexpr int window() const { return taps == 1 ? pixels : (pixels - 1) * stride + taps; }
  /// The window index of output pixel `pixel` and tap `tap`.
  constexpr int WindowPixel(int pixel, int tap) const {
    return taps == 1 ? pixel : pixel * stride + tap;
  }
};

/// Waves per workgroup. In backward-weight they share its sums.
inline constexpr int kDirectGatherWaves = 4;
inline constexpr int kDirectWeightWaves = 8;

/// How kernels, plans and estimates distinguish targets: by the lanes of a wave, and Hopper. Hopper
/// computes a 64-bit address for each load, and its other instances load by TMA.
enum class TargetKind { kWave64, kWave32, kHopper };
constexpr TargetKind KindOf(Gfx gfx) {
  const TargetTraits target = TraitsOf(gfx);
  if (target.mma_unit == MmaUnit::kWgmma) return TargetKind::kHopper;
  return target.wave_size == 64 ? TargetKind::kWave64 : TargetKind::kWave32;
}

/// Maximum bytes of a pixel per lane. On Hopper, each load should bring many bytes.
constexpr int MaxBytesOfLane(Gfx gfx) { return KindOf(gfx) == TargetKind::kHopper ? 8 : 4; }

/// Whether sums of forward and backward-data can begin with a bias. On other targets, whose other
/// instances have epilogues, a pass adds it.
constexpr bool BeginsWithBias(const DirectConfig& c, Gfx gfx) {
  return KindOf(gfx) == TargetKind::kHopper && SumType(c.type) == DataType::kF32;
}

/// Waves per SIMD for which the compiler must leave registers. Two rows of halves in seven taps
/// would otherwise take one register more than four waves have.
constexpr int FewestWaves(const DirectConfig& c, Gfx gfx) {
  return KindOf(gfx) == TargetKind::kWave64 && c.taps == 7 && c.rows == 2 && SizeOf(c.type) == 2
             ? 4
             : 1;
}

/// Returns nullptr if kernels of `c` can be compiled for `gfx`, else the reason.
constexpr const char* Reject(const DirectConfig& c, Gfx gfx) {
  if (KindOf(gfx) == TargetKind::kHopper) {
    if (IsFloat8(c.type)) return "the target's 8-bit floats are copied as f16 or bf16";
  } else if (!HasType(gfx, c.type)) {
    return "the target does not multiply the type";
  }
  if (c.channels * SizeOf(c.type) > MaxBytesOfLane(gfx) || c.channels < 1) {
    return MaxBytesOfLane(gfx) == 8 ? "a lane loads 8 bytes at most"
                                    : "a lane loads 4 bytes at most";
  }
  if (c.pixels < 1 || c.pixels > 16) return "a lane works on 1 to 16 pixels";
  if (c.taps < 1 || c.taps > 7) return "a lane takes 1 to 7 taps at a time";
  if ((c.taps == 1) != (c.stride == 0)) return "stride is 0 with one tap, and only then";
  if (c.resident < 0 || (c.resident > 0 && KindOf(gfx) != TargetKind::kHopper)) {
    return "the target's compiler cannot be told how many workgroups must be resident";
  }
  if (c.rows < 0 || c.rows > 8 || (c.has_resident_weights() && c.taps == 1)) {
    return "LDS has weights of several taps, and a lane works on at most 8 rows";
  }
  return nullptr;
}

}  // namespace gridwise::direct
