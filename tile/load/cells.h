#pragma once

#include "core/arch/memory.h"
#include "tile/config.h"
#include "tile/load/cell_walk.h"
#include "tile/load/patches_of_lane.h"

namespace gridwise::tile {

/// The element of a tensor that a row of an operand means: a channel, through a filter tap.
struct TapChannel {
  int tap[3] = {0, 0, 0};
  int channel = 0;
  bool exists = false;
};

/// An operand of backward-weight: rows are channels (of dy), or taps and channels (of x); K runs
/// over cells. Channels are contiguous, so a lane loads patches of a run of cells along w by 1 row,
/// or by 2 rows that are neighbouring channels of one tap, and transposes them; or single cells by
/// 8 rows, which reads of LDS transpose.
///
/// What lies outside of the tensor, or past the last output cell, reads as zero. Along d and h that
/// depends on where the step is, and decides for a whole patch: each has a window of steps. Along w
/// it is a bit per step and cell of the run; steps in which no lane of the wave has one skip it.
template <TileConfig kC, Gfx kGfx, int kRows, TileConfig::Patch kPatch>
class LoadCells {
  using Patches = PatchesOfLane<kC, kRows, kPatch>;
  static constexpr LdsTile kTile = {.rows = kRows, .chunks_per_row = kC.tile.k / kC.chunk()};

 public:
  using Slab = Patches::Slab;
  static constexpr int kLdsBytes = kTile.bytes();

  /// `row` is the TapChannel of the lane's first row.
  GRIDWISE_DEVICE LoadCells(const BwdWeightArgs& args, const CellTensor& tensor, int group,
                            TapChannel row)
      : args_(args), tensor_(tensor), exists_(row.exists && !Patches::IsIdle()) {
    int bias = 0;  // so that no offset is negative; the buffer begins so much earlier
    for (int a = 0; a < 3; ++a) {
      bias += (tensor.first[a] < 0 ? -tensor.first[a] : 0) * tensor.cell[a];
    }
    start_ = static_cast<const char*>(tensor.data) + group * tensor.group - bias;
    for (int i = 0; i < Patches::kCount; ++i) {
      first_offset_[i] = bias + row.channel * SizeOf(kC.type);
      for (int a = 0; a < 3; ++a) {
        const int cell =
            tensor.first[a] + row.tap[a] * tensor.tap_stride[a] + FirstOut(i, a) * tensor.stride[a];
        first_offset_[i] += cell * tensor.cell[a];
        inside_[i][a] = FindWindow(i, a, cell);
      }
    }
  }

  /// First row of this lane in the tile.
  GRIDWISE_DEVICE static int Row() { return Patches::Row(); }

  /// Starts the loads of a step. Steps come in the order of CellWalk.
  template <class To>
  GRIDWISE_DEVICE void Load(const CellWalk& walk, To&& slab) {
    if (walk.w() == 0 || walk.is_first()) {
      EnterRow(walk);
    } else {
      step_offset_ += walk.outs_w() * tensor_.out_cell[2];
    }
    const int step = walk.w() % kStepsOfMask;
    if (walk.is_first() || (step == 0 && args_.steps_w > kStepsOfMask)) FindInvalidCells(walk);
    if (args_.steps_w == 1) {
      if (all_inside_) {
        LoadPatches(slab, [&](int i, int e) { return cell_offset_[i][e]; });
      } else {
        LoadPatches(slab, [&](int i, int e) { return cell_offset_[i][e] | outside_[i]; });
      }
    } else if ((some_invalid_ >> step & 1) != 0) {
      LoadPatches(slab, [&](int i, int e) {
        return first_offset_[i] | outside_[i] | Buffer::OutOfRangeIf(invalid_[i][e], step);
      });
    } else {
      LoadPatches(slab, [&](int i, int) { return first_offset_[i] | outside_[i]; });
    }
  }

  /// Waits for the loads, transposes and writes them to LDS.
  GRIDWISE_DEVICE void Store(const Slab& slab, char* lds) const {
    if (Patches::IsIdle()) return;
    for (int i = 0; i < Patches::kCount; ++i) {
      Patches::Store(slab[i], kTile, Patches::Row(), Patches::K(i), lds);
    }
  }

 private:
  static constexpr int kStepsOfMask = 32;

  /// First output cell of patch i within a step, along an axis.
  GRIDWISE_DEVICE int FirstOut(int i, int axis) const {
    const int run = Patches::K(i) / kPatch.k;
    const int row = run >> args_.log2_step_runs;
    if (axis == 1) return row;
    return axis == 2 ? (run - (row << args_.log2_step_runs)) * kPatch.k : 0;
  }

  /// The output cells along an axis, counted from a patch's first at the first step, for which it
  /// has a cell of the tensor: begin, ..., begin + count - 1.
  struct Window {
    int begin;
    unsigned count;

    GRIDWISE_DEVICE bool Has(int out) const { return static_cast<unsigned>(out - begin) < count; }
  };

  /// `cell` is where the patch begins at the first step; the cells are cell + out * step.
  GRIDWISE_DEVICE Window FindWindow(int i, int axis, int cell) const {
    const int step = tensor_.stride[axis];
    const auto ceil_div = [&](int n) {  // of n / step, 0 for negative n
      return n <= 0 ? 0 : static_cast<int>(Divide(n + step - 1, tensor_.by_stride[axis]));
    };
    const int begin = ceil_div(-cell), end_of_tensor = ceil_div(tensor_.size[axis] - cell);
    const int end_of_outs = args_.out[axis] - FirstOut(i, axis);
    const int end = end_of_tensor < end_of_outs ? end_of_tensor : end_of_outs;
    return {.begin = begin, .count = end > begin ? static_cast<unsigned>(end - begin) : 0};
  }

  /// A new row of steps: the image's buffer, and which patches lie outside along d and h.
  GRIDWISE_DEVICE void EnterRow(const CellWalk& walk) {
    if (walk.out_h() == 0 || walk.is_first()) {
      buffer_ = Buffer::From<kGfx>(start_ + walk.image() * tensor_.image);
    }
    step_offset_ = walk.out_d() * tensor_.out_cell[0] + walk.out_h() * tensor_.out_cell[1] +
                   walk.w() * walk.outs_w() * tensor_.out_cell[2];
    bool all_inside = true;
    for (int i = 0; i < Patches::kCount; ++i) {
      if (walk.out_h() == 0 || walk.is_first()) {
        inside_d_[i] = exists_ && walk.image() < args_.batch && inside_[i][0].Has(walk.out_d());
      }
      const bool inside = inside_d_[i] && inside_[i][1].Has(walk.out_h());
      outside_[i] = inside ? 0 : Buffer::kOutOfRange;
      all_inside &= inside;
    }
    all_inside_ = !AnyLane(!all_inside);
  }

  /// Bit s of invalid_ becomes 1 when, at the s-th step of the mask that the walk's is in, the cell
  /// of the run lies outside along w.
  GRIDWISE_DEVICE void FindInvalidCells(const CellWalk& walk) {
    for (int i = 0; i < Patches::kCount; ++i) {
      for (int e = 0; e < kPatch.k; ++e) invalid_[i][e] = 0;
    }
    some_invalid_ = 0;
    const int first = walk.w() - walk.w() % kStepsOfMask, left = args_.steps_w - first;
    const int bits = left < kStepsOfMask ? left : kStepsOfMask;
#pragma clang loop unroll(disable)
    for (int bit = 0; bit < bits; ++bit) {
      unsigned some = 0;
      for (int i = 0; i < Patches::kCount; ++i) {
        for (int e = 0; e < kPatch.k; ++e) {
          const bool inside = inside_[i][2].Has((first + bit) * walk.outs_w() + e);
          invalid_[i][e] |= static_cast<unsigned>(!inside) << bit;
          some |= static_cast<unsigned>(!inside);
        }
      }
      some_invalid_ |= static_cast<unsigned>(AnyLane(some != 0)) << bit;
    }
    if (args_.steps_w != 1) return;
    for (int i = 0; i < Patches::kCount; ++i) {
      for (int e = 0; e < kPatch.k; ++e) {
        cell_offset_[i][e] = first_offset_[i] | Buffer::OutOfRangeIf(invalid_[i][e], 0);
      }
    }
  }

  /// `offset(i, e)` is the byte offset of cell e of patch i, before the step's.
  template <class To, class Offset>
  GRIDWISE_DEVICE void LoadPatches(To&& slab, Offset offset) const {
    for (int i = 0; i < Patches::kCount; ++i) {
      for (int e = 0; e < kPatch.k; ++e) {
        if constexpr (kC.loads_to_lds()) {
          buffer_.LoadToLds(slab[i], offset(i, e), step_offset_);
        } else {
          slab[i][e] = buffer_.Load<typename Patches::Rows>(offset(i, e),
                                                            step_offset_ + e * tensor_.out_cell[2]);
        }
      }
    }
  }

  const BwdWeightArgs& args_;
  const CellTensor& tensor_;
  const bool exists_;  // this lane's rows
  const char* start_;
  Buffer buffer_;          // of the image
  int step_offset_;        // bytes from an image's first cell to the step's
  unsigned some_invalid_;  // bit s: at step s, some lane of the wave has a cell outside along w
  Window inside_[Patches::kCount][3];
  int first_offset_[Patches::kCount];            // bytes, at the first step of an image
  bool all_inside_;                              // in this row of steps, in every lane of the wave
  bool inside_d_[Patches::kCount];               // in this row of steps, along d
  unsigned outside_[Patches::kCount];            // Buffer::kOutOfRange where outside along d or h
  unsigned invalid_[Patches::kCount][kPatch.k];  // bits
  // Where a row is one step: the offset of the cell, or out of range.
  unsigned cell_offset_[Patches::kCount][kPatch.k];
};

}  // namespace gridwise::tile
