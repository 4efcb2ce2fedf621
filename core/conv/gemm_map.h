// SPDX-License-Identifier: MIT
/// The GEMM map of a convolution: which pixels and filter taps are rows and terms. One map serves
/// all three directions and any number of axes. Device-usable.
///
/// Forward and backward-data gather: an element of the output is a sum over filter taps and
/// channels of a source tensor (x in forward, dy in backward-data). Along one axis, output pixels
/// that have the same taps form a phase; pixel j of a phase and its tap t meet
///
///   output pixel  first_pixel + j * pixel_stride
///   source pixel  first_source + j * source_stride + t * tap_source_stride
///   filter tap   first_tap + t * tap_stride
///
/// and source pixels outside the tensor read as zero. A sub-GEMM is a triple of phases, one per
/// axis; for each group
///
///   M = batch * product of counts
///   N = output channels / groups
///   K = product of taps * source channels / groups
///   row m = ((n * count_d + j_d) * count_h + j_h) * count_w + j_w
///   term  = ((t_d * taps_h + t_h) * taps_w + t_w) * source channels / groups + source channel
///
/// Forward has one phase per axis: all output pixels and all taps, with source_stride = stride and
/// tap_source_stride = dilation.
///
/// Backward-data: input pixel i, output pixel o and tap y meet where i = o * s + y * d - p, with
/// stride s, dilation d and pad p. The residue a = i mod s fixes the taps that reach a pixel:
/// y * d = a + p (mod s). With g = gcd(s, d) that has solutions only if g divides a + p, and then
/// exactly one in every s / g consecutive taps. All pixels i = a + s * j of a phase have the same
/// taps, and each is the dot product of these with consecutive pixels of dy: a GEMM with neither
/// holes nor overlaps. Every pixel of dx is in exactly one sub-GEMM. A sub-GEMM with K = 0 has no
/// taps: its pixels of dx are zero, and it writes them.
///
/// Backward-weight is forward's map with the roles exchanged: M = k / groups, N = the terms, K =
/// the rows.
#pragma once

#include "core/base/math.h"

namespace gridwise {

/// Output pixels first_pixel + j * pixel_stride, 0 <= j < count, and their taps.
struct AxisPhase {
  int first_pixel = 0;
  int count = 1;
  int taps = 1;          ///< 0: no tap reaches these pixels
  int first_tap = 0;     ///< at t = 0
  int first_source = 0;  ///< source pixel at j = 0, t = 0; may lie outside the tensor
};

/// Steps of an axis, the same for all its phases.
struct AxisStrides {
  int pixel_stride = 1;       ///< output pixels from one j to the next
  int source_stride = 1;      ///< source pixels from one j to the next
  int tap_stride = 1;         ///< filter taps from one t to the next; negative in backward-data
  int tap_source_stride = 1;  ///< source pixels from one t to the next; never negative
};

/// Filter tap t of the phase, t in [0, taps).
GRIDWISE_HD constexpr int Tap(const AxisPhase& axis, AxisStrides strides, int t) {
  return axis.first_tap + t * strides.tap_stride;
}

/// Source pixel that tap t pairs with output pixel j of the phase. May lie outside of the source.
GRIDWISE_HD constexpr int SourcePixel(const AxisPhase& axis, AxisStrides strides, int j, int t) {
  return axis.first_source + j * strides.source_stride + t * strides.tap_source_stride;
}

/// Output pixel j of the phase.
GRIDWISE_HD constexpr int OutputPixel(const AxisPhase& axis, AxisStrides strides, int j) {
  return axis.first_pixel + j * strides.pixel_stride;
}

/// Entry of the table that a kernel reads: one sub-GEMM.
struct SubGemm {
  int first_tile = 0;  ///< index of its first workgroup tile in the launch; the plan assigns it
  int m = 1;           ///< batch * product of counts
  AxisPhase axis[3];   ///< d, h, w
  MagicDiv by_count_w, by_count_h, by_count_d;
  MagicDiv by_taps_w, by_taps_h;  ///< by 1 if there are no taps
};
static_assert(sizeof(SubGemm) == 108, "host and device read this table: 27 fields of 4 bytes");

/// Product of the taps: K / (source channels / groups).
GRIDWISE_HD constexpr int Taps(const SubGemm& gemm) {
  return gemm.axis[0].taps * gemm.axis[1].taps * gemm.axis[2].taps;
}

/// A row of a sub-GEMM: image n and, per axis, the index of the pixel within its phase.
struct PhasePixel {
  int n = 0;
  int j[3] = {0, 0, 0};  ///< d, h, w
};

/// Whether all pixels lie along the last axis, as those of a filter of one tap do (canonicalize.h):
/// row m is then pixel m of that axis.
GRIDWISE_HD constexpr bool IsLine(const SubGemm& gemm) { return gemm.m == gemm.axis[2].count; }
GRIDWISE_HD constexpr PhasePixel PixelOfLine(int m) { return {.n = 0, .j = {0, 0, m}}; }

/// The pixel of row m, 0 <= m < gemm.m.
GRIDWISE_HD constexpr PhasePixel PixelOfRow(const SubGemm& gemm, int m) {
  const int by_w = static_cast<int>(Divide(static_cast<unsigned>(m), gemm.by_count_w));
  const int by_h = static_cast<int>(Divide(static_cast<unsigned>(by_w), gemm.by_count_h));
  const int by_d = static_cast<int>(Divide(static_cast<unsigned>(by_h), gemm.by_count_d));
  return {.n = by_d,
          .j = {by_h - by_d * gemm.axis[0].count, by_w - by_h * gemm.axis[1].count,
                m - by_w * gemm.axis[2].count}};
}

}  // namespace gridwise
