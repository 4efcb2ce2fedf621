/// GEMM maps of the three directions: which cells and filter taps are rows, columns and terms.
/// Device-usable.
///
/// Forward and backward-weight are one GEMM for each group. With
///
///   cell = ((n * out_d + o_d) * out_h + o_h) * out_w + o_w
///   term = ((z * taps_h + y) * taps_w + x) * c / groups + channel
///
/// forward has M = cells, N = k / groups and K = terms; backward-weight has M = k / groups,
/// N = terms and K = cells.
///
/// Backward-data is a set of sub-GEMMs. Along one axis, input cell i, output cell o and tap y meet
/// where i = o * s + y * d - p, with stride s, dilation d and pad p. The residue a = i mod s fixes
/// the taps that reach a cell: y * d = a + p (mod s). With g = gcd(s, d) that has solutions only if
/// g divides a + p, and then exactly one in every s / g consecutive taps. All cells i = a + s * j
/// of a class have the same taps, and each is the dot product of them with consecutive output
/// cells: a GEMM with neither holes nor overlaps. A sub-GEMM is a triple of classes, one per axis;
/// for each group
///
///   M = batch * product of counts
///   N = c / groups
///   K = product of taps * k / groups
///   row m = ((n * count_d + j_d) * count_h + j_h) * count_w + j_w
///   term  = ((t_d * taps_h + t_h) * taps_w + t_w) * k / groups + output channel
///
/// Every input cell is in exactly one sub-GEMM. One with K = 0 has no taps: its cells of dx are
/// zero and it writes them.
#pragma once

#include "ck/base/math.h"

namespace gridwise {

/// Input cells i = first_in + s * j, 0 <= j < count, of one residue class, and their taps.
struct AxisClass {
  int first_in = 0;   ///< a: the class's residue modulo the stride, and its first input cell
  int count = 1;      ///< ceil((in - a) / s)
  int taps = 1;       ///< 0: no tap reaches these cells
  int first_tap = 0;  ///< the LARGEST tap of the class, at t = 0; output cells then increase with t
  int first_out = 0;  ///< output cell at j = 0, t = 0; cells outside [0, out) read as zero
};

/// Steps of an axis, the same for all its classes.
struct AxisSteps {
  int tap_step = 1;  ///< s / gcd(s, d): from one tap of a class to the next
  int out_step = 1;  ///< d / gcd(s, d): between the output cells that these taps pair with
};

/// Filter tap t of the class, t in [0, taps).
GRIDWISE_HD constexpr int Tap(const AxisClass& axis, AxisSteps steps, int t) {
  return axis.first_tap - t * steps.tap_step;
}

/// Output cell that tap t pairs with input cell j of the class. May lie outside [0, out): it reads
/// as zero.
GRIDWISE_HD constexpr int OutCell(const AxisClass& axis, AxisSteps steps, int j, int t) {
  return axis.first_out + j + t * steps.out_step;
}

/// Input cell j of the class.
GRIDWISE_HD constexpr int InCell(const AxisClass& axis, int stride, int j) {
  return axis.first_in + j * stride;
}

/// Entry of the table that a backward-data kernel reads: one sub-GEMM.
struct SubGemm {
  int first_tile = 0;  ///< index of its first workgroup tile in the launch; the plan assigns it
  int m = 1;           ///< batch * product of counts
  AxisClass axis[3];   ///< d, h, w
  MagicDiv by_count_w, by_count_h, by_count_d;
};
static_assert(sizeof(SubGemm) == 92, "host and device read this table: 23 fields of 4 bytes");

/// Product of the taps: K / (k / groups).
GRIDWISE_HD constexpr int Taps(const SubGemm& gemm) {
  return gemm.axis[0].taps * gemm.axis[1].taps * gemm.axis[2].taps;
}

/// A cell that is a row or term of a GEMM: image n and, per axis, the index within the cell's
/// class. The output cells of a WindowGemm are all one class.
struct ClassCell {
  int n = 0;
  int j[3] = {0, 0, 0};  ///< d, h, w
};

/// The cell with index m, 0 <= m < batch * product of counts, of a SubGemm or WindowGemm.
template <typename Gemm>
GRIDWISE_HD constexpr ClassCell CellOfRow(const Gemm& gemm, int m) {
  const int by_w = static_cast<int>(Divide(static_cast<unsigned>(m), gemm.by_count_w));
  const int by_h = static_cast<int>(Divide(static_cast<unsigned>(by_w), gemm.by_count_h));
  const int by_d = static_cast<int>(Divide(static_cast<unsigned>(by_h), gemm.by_count_d));
  return {.n = by_d,
          .j = {by_h - by_d * gemm.axis[0].count, by_w - by_h * gemm.axis[1].count,
                m - by_w * gemm.axis[2].count}};
}

/// Forward and backward-weight along one axis: the window of input cells that an output cell sees.
struct AxisWindow {
  int count = 1;      ///< output cells
  int taps = 1;       ///< of the filter
  int first_in = 0;   ///< -pad_begin: input cell of output cell 0 and tap 0
  int cell_step = 1;  ///< stride
  int tap_step = 1;   ///< dilation
};

/// Input cell that output cell o sees through tap y. May lie outside [0, in): it reads as zero.
GRIDWISE_HD constexpr int InCell(const AxisWindow& axis, int o, int y) {
  return axis.first_in + o * axis.cell_step + y * axis.tap_step;
}

/// The GEMM of forward and of backward-weight.
struct WindowGemm {
  int cells = 1;       ///< batch * output cells
  int terms = 1;       ///< taps * c / groups
  AxisWindow axis[3];  ///< d, h, w
  MagicDiv by_count_w, by_count_h, by_count_d;
  MagicDiv by_channels, by_taps_w, by_taps_h;
};
static_assert(sizeof(WindowGemm) == 116, "host and device read it: 29 fields of 4 bytes");

/// A term of a WindowGemm: filter tap and input channel of the group.
struct FilterTerm {
  int tap[3] = {0, 0, 0};  ///< z, y, x
  int channel = 0;
};

/// The tap and channel of a term, 0 <= term < gemm.terms; `channels` is c / groups.
GRIDWISE_HD constexpr FilterTerm TermAt(const WindowGemm& gemm, int channels, int term) {
  const int tap = static_cast<int>(Divide(static_cast<unsigned>(term), gemm.by_channels));
  const int by_w = static_cast<int>(Divide(static_cast<unsigned>(tap), gemm.by_taps_w));
  const int by_h = static_cast<int>(Divide(static_cast<unsigned>(by_w), gemm.by_taps_h));
  return {.tap = {by_h, by_w - by_h * gemm.axis[1].taps, tap - by_w * gemm.axis[2].taps},
          .channel = term - tap * channels};
}

}  // namespace gridwise
