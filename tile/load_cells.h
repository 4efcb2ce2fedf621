#pragma once

#include "ck/arch/memory.h"
#include "tile/cell_walk.h"
#include "tile/config.h"
#include "tile/patches_of_lane.h"

namespace gridwise::tile {

/// The element of a tensor that a row of an operand means: a channel, through a filter tap.
struct TapChannel {
  int tap[3] = {0, 0, 0};
  int channel = 0;
  bool exists = false;
};

/// An operand of backward-weight: rows are channels (of dy), or taps and channels (of x); K runs
/// over cells. Channels are contiguous, so a lane loads patches of a run of cells along w by 1 row,
/// or by 2 rows that are neighbouring channels of one tap, and transposes them.
///
/// What lies outside of the tensor, or past the last output cell, reads as zero. That depends on
/// the step's position along d and h, which decides for a whole patch, and along w, through a bit
/// per step and cell of the run.
template <TileConfig kC, Gfx kGfx, int kRows, TileConfig::Patch kPatch>
class LoadCells {
 public:
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
        cell_[i][a] =
            tensor.first[a] + row.tap[a] * tensor.tap_step[a] + FirstOut(i, a) * tensor.step[a];
        first_offset_[i] += cell_[i][a] * tensor.cell[a];
      }
    }
  }

  /// First row of this lane in the tile.
  GRIDWISE_DEVICE static int Row() { return PatchesOfLane<kC, kRows, kPatch>::Row(); }

  /// Starts the loads of a step. Steps come in the order of CellWalk.
  GRIDWISE_DEVICE void Load(const CellWalk& walk) {
    if (walk.w() % kStepsOfMask == 0) {
      if (walk.w() == 0) EnterRow(walk);
      if (walk.step() == 0 || args_.steps_w > kStepsOfMask) FindInvalidCells(walk);
    }
    const int first = walk.OffsetIn(tensor_), next = tensor_.step[2] * tensor_.cell[2];
    for (int i = 0; i < Patches::kCount; ++i) {
      for (int e = 0; e < kPatch.k; ++e) {
        value_[i][e] = buffer_.Load<typename Patches::Rows>(
            offset_[i] | Buffer::OutOfRangeIf(invalid_[i][e], walk.w() % kStepsOfMask),
            first + e * next);
      }
    }
  }

  /// Waits for the loads, transposes and writes them to LDS.
  GRIDWISE_DEVICE void Store(char* lds) const {
    constexpr LdsTile kTile = {.rows = kRows, .cells_per_row = kC.tile.k / kC.cell()};
    if (Patches::IsIdle()) return;
    for (int i = 0; i < Patches::kCount; ++i) {
      Patches::Store(value_[i], kTile, Patches::Row(), Patches::K(i), lds);
    }
  }

 private:
  using Patches = PatchesOfLane<kC, kRows, kPatch>;
  static constexpr int kStepsOfMask = 32;

  /// First output cell of patch i within a step, along an axis.
  GRIDWISE_DEVICE int FirstOut(int i, int axis) const {
    const int run = Patches::K(i) / kPatch.k;
    const int row = run >> args_.log2_step_runs;
    if (axis == 1) return row;
    return axis == 2 ? (run - (row << args_.log2_step_runs)) * kPatch.k : 0;
  }

  /// Whether patch i has a cell along an axis, `at` output cells after its first one.
  GRIDWISE_DEVICE bool IsInside(int i, int axis, int at) const {
    const int cell = cell_[i][axis] + at * tensor_.step[axis];
    return static_cast<unsigned>(cell) < static_cast<unsigned>(tensor_.size[axis]) &&
           FirstOut(i, axis) + at < args_.out[axis];
  }

  /// A new row of steps: the image's buffer, and which patches lie outside along d and h.
  GRIDWISE_DEVICE void EnterRow(const CellWalk& walk) {
    buffer_ = Buffer::From<kGfx>(start_ + walk.image() * tensor_.image);
    for (int i = 0; i < Patches::kCount; ++i) {
      const bool inside = exists_ && IsInside(i, 0, walk.out_d()) && IsInside(i, 1, walk.out_h());
      offset_[i] = inside ? static_cast<unsigned>(first_offset_[i]) : Buffer::kOutOfRange;
    }
  }

  /// Bit s of invalid_ becomes 1 when, at the s-th step from the walk's on, the cell of the run
  /// lies outside along w.
  GRIDWISE_DEVICE void FindInvalidCells(const CellWalk& walk) {
    for (int i = 0; i < Patches::kCount; ++i) {
      for (int e = 0; e < kPatch.k; ++e) invalid_[i][e] = 0;
    }
    const int left = args_.steps_w - walk.w();
    const int bits = left < kStepsOfMask ? left : kStepsOfMask;
#pragma clang loop unroll(disable)
    for (int bit = 0; bit < bits; ++bit) {
      for (int i = 0; i < Patches::kCount; ++i) {
        for (int e = 0; e < kPatch.k; ++e) {
          const bool inside = IsInside(i, 2, (walk.w() + bit) * walk.outs_w() + e);
          invalid_[i][e] |= static_cast<unsigned>(!inside) << bit;
        }
      }
    }
  }

  const BwdWeightArgs& args_;
  const CellTensor& tensor_;
  const bool exists_;  // this lane's rows
  const char* start_;
  Buffer buffer_;                                // of the image
  int cell_[Patches::kCount][3];                 // of the tensor, at the first step of an image
  int first_offset_[Patches::kCount];            // bytes, at the first step of an image
  unsigned offset_[Patches::kCount];             // the same, or out of range in this row of steps
  unsigned invalid_[Patches::kCount][kPatch.k];  // bits
  Patches::Rows value_[Patches::kCount][kPatch.k];
};

}  // namespace gridwise::tile
