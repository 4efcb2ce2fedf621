// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "core/arch/sync.h"
#include "tile/config.h"
#include "tile/load/patches_of_lane.h"
#include "tile/load/pixel_walk.h"

namespace gridwise::tile {

/// The element of a tensor that a row of an operand stands for: a channel, through a filter tap.
struct TapChannel {
  int tap[3] = {0, 0, 0};
  int channel = 0;
  bool exists = false;
};

/// An operand of backward-weight: rows are channels (of dy), or taps and channels (of x); K runs
/// over pixels. Channels are contiguous. A lane loads one of: patches of a run of pixels along w by
/// 1 row; by 2 rows that are adjacent channels of one tap, and transposes them; or single pixels by
/// 8 rows, which LDS reads transpose.
///
/// Elements outside of the tensor, or past the last output pixel, read as zero. Each patch has a
/// window of output pixels along each axis, and a run of steps puts the offsets of pixels outside
/// of the window out of range. dy has no taps, and its pixels are the output pixels, so the window
/// is all of them.
template <TileConfig kC, Gfx kGfx, int kRows, TileConfig::Patch kPatch, bool kThroughTaps>
class LoadPixels {
  using Walk = PixelWalk<kC.steps_over_images()>;
  using Patches = PatchesOfLane<kC, kRows, kPatch>;
  static constexpr LdsTile kTile = {.rows = kRows, .vectors_per_row = kC.tile.k / kC.vector()};

 public:
  using KTile = Patches::KTile;
  static constexpr int kLdsBytes = kTile.bytes();

  /// `row` is the TapChannel of the lane's first row.
  GRIDWISE_DEVICE LoadPixels(const BwdWeightArgs& args, const PixelTensor& tensor, int group,
                             TapChannel row, const Walk& walk)
      : exists_(row.exists && !Patches::IsIdle()),
        tensor_(tensor),
        out_pixel_(tensor.out_pixel[2]),
        step_bytes_(walk.StepBytes(tensor.image, tensor.out_pixel)) {
    int bias = 0;  // makes all offsets non-negative; the buffer begins that much earlier
    for (int a = 0; kThroughTaps && a < 3; ++a) {
      bias += (tensor.first[a] < 0 ? -tensor.first[a] : 0) * tensor.pixel[a];
    }
    start_ = static_cast<const char*>(tensor.data) + group * tensor.group - bias;
    for (int i = 0; i < Patches::kCount; ++i) {
      first_offset_[i] = bias + row.channel * SizeOf(kC.type);
      if constexpr (kC.steps_over_images())
        first_offset_[i] += ImageOfStep(args, i) * static_cast<int>(tensor.image);
      for (int a = 0; a < 3; ++a) {
        const int out = FirstOut(args, i, a);
        const int pixel = !kThroughTaps ? out
                                        : tensor.first[a] + row.tap[a] * tensor.tap_stride[a] +
                                              out * tensor.stride[a];
        first_offset_[i] += pixel * tensor.pixel[a];
        inside_[i][a] = FindWindow(tensor, a, pixel, args.out[a] - out);
      }
    }
    SchedulingFence();  // the other operand's arguments take no registers before this point
  }

  /// First row of this lane in the tile.
  GRIDWISE_DEVICE static int Row() { return Patches::Row(); }

  GRIDWISE_DEVICE void EnterRun(const Walk& walk) {
    if (walk.entered_row()) {
      at_ = start_ + walk.image() * tensor_.image + walk.out_d() * tensor_.out_pixel[0] +
            walk.out_h() * tensor_.out_pixel[1] + walk.out_w() * out_pixel_;
    }
    for (int i = 0; i < Patches::kCount; ++i) {
      bool inside = exists_ & walk.exists();  // without divergent branches
      inside &= inside_[i][0].Has(walk.out_d());
      inside &= inside_[i][1].Has(walk.out_h());
      const unsigned offset = inside ? first_offset_[i] : Buffer::kOutOfRange;
      for (int e = 0; e < kPatch.k; ++e) {
        offset_[i][e] = inside_[i][2].Has(walk.out_w() + e) ? offset : Buffer::kOutOfRange;
      }
    }
  }

  /// Starts the loads of the run's next step.
  template <class To>
  GRIDWISE_DEVICE void Load(const Walk&, To&& k_tile) {
    const Buffer buffer = Buffer::From<kGfx>(at_);
    for (int i = 0; i < Patches::kCount; ++i) {
      for (int e = 0; e < kPatch.k; ++e) {
        if constexpr (kC.loads_to_lds()) {
          buffer.LoadToLds(k_tile[i], offset_[i][e], 0);
        } else {
          k_tile[i][e] = buffer.Load<typename Patches::Rows>(offset_[i][e], e * out_pixel_);
        }
      }
    }
    at_ += step_bytes_;
  }

  /// Waits for the loads, transposes the patches and writes them to LDS.
  GRIDWISE_DEVICE void Store(const KTile& k_tile, char* lds) const {
    if (Patches::IsIdle()) return;
    for (int i = 0; i < Patches::kCount; ++i) {
      Patches::Store(k_tile[i], kTile, Patches::Row(), Patches::K(i), lds);
    }
  }

 private:
  /// First output pixel of patch i within a step, along an axis.
  GRIDWISE_DEVICE static int FirstOut(const BwdWeightArgs& args, int i, int axis) {
    const int run = Patches::K(i) / kPatch.k;
    const int row = run >> args.log2_step_runs;
    if constexpr (kC.steps_over_images())
      if (axis == 1) return row - (ImageOfStep(args, i) << args.images.log2_rows);
    if (axis == 1) return row;
    return axis == 2 ? (run - (row << args.log2_step_runs)) * kPatch.k : 0;
  }
  /// Image of patch i within a step that may have several.
  GRIDWISE_DEVICE static int ImageOfStep(const BwdWeightArgs& args, int i) {
    return Patches::K(i) / kPatch.k >> (args.log2_step_runs + args.images.log2_rows);
  }

  /// The output pixels along an axis, counted from a patch's first at the first step, for which the
  /// patch has a pixel of the tensor: begin, ..., begin + count - 1.
  struct Window {
    int begin;
    unsigned count;

    GRIDWISE_DEVICE bool Has(int out) const { return static_cast<unsigned>(out - begin) < count; }
  };

  /// `pixel` is where the patch begins at the first step; its pixels are pixel + out * step. `outs`
  /// is the number of output pixels from there on.
  GRIDWISE_DEVICE static Window FindWindow(const PixelTensor& tensor, int axis, int pixel,
                                           int outs) {
    if constexpr (!kThroughTaps) return {.begin = 0, .count = Positive(outs)};
    const int step = tensor.stride[axis];
    const auto ceil_div = [&](int n) {  // ceil(n / step); 0 for negative n
      return static_cast<int>(Divide(Positive(n) + step - 1, tensor.by_stride[axis]));
    };
    const int begin = ceil_div(-pixel), end_of_tensor = ceil_div(tensor.size[axis] - pixel);
    const int end = end_of_tensor < outs ? end_of_tensor : outs;
    return {.begin = begin, .count = Positive(end - begin)};
  }

  GRIDWISE_DEVICE static unsigned Positive(int n) { return n < 0 ? 0 : n; }

  const bool exists_;          // this lane's rows
  const PixelTensor& tensor_;  // read where a row of steps begins
  const int out_pixel_;        // bytes from one output pixel to the next along w
  const long step_bytes_;      // from one step of a run to the next
  const char* start_;          // base of offsets, at the first step
  const char* at_;             // the same, at the next step
  Window inside_[Patches::kCount][3];
  int first_offset_[Patches::kCount];           // bytes
  unsigned offset_[Patches::kCount][kPatch.k];  // the same for each pixel, or out of range
};

}  // namespace gridwise::tile
