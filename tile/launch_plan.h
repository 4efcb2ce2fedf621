#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/arch/target.h"
#include "core/conv/cost.h"
#include "core/conv/parts.h"
#include "tile/config.h"

namespace gridwise::tile {

/// What the plans of all kernels have: the launch and its estimated cost.
struct LaunchPlan {
  unsigned workgroups[3];
  unsigned threads;          // of a workgroup
  std::int64_t table_bytes;  // of sub-GEMMs, which the launch reads from device memory
  int splits;                // workgroups that share a tile's K; above 1 their sums, f32
                             // tensors in the output's layout, are added up afterwards
  Cost cost;
};

/// Offsets within a tensor are bytes below this, see Buffer.
inline constexpr std::int64_t kOffsetLimit = std::int64_t{1} << 31;

/// Sub-GEMMs of a launch: 6 MB of descriptors.
inline constexpr std::int64_t kMaxSubGemms = std::int64_t{1} << 16;

/// Why one launch cannot compute all of a problem, with the values that matter, and the axis along
/// which it may compute a part.
struct Excess {
  std::string reason;
  PartAxis axis;
};

/// The size of a launch.
struct Work {
  double tiles;                  // of the output
  double steps;                  // of the main loop, of all tiles together
  double out_elements;           //
  double ragged_steps = 0;       // of them, those whose channels end within a cell
  int least_steps_of_split = 4;  // shorter loops are not worth a workgroup
};

/// Estimates a launch of `config` in which `splits` workgroups share the steps of each tile.
Cost EstimateCost(const TileConfig& config, const TargetTraits& target, const Work& work,
                  int splits);

/// How workgroups share the K of a tile.
struct Sharing {
  int splits = 0;  // workgroups of a tile; 0: as many as are estimated to be fastest
  /// Where the sums are not the output but f32 terms of it: elements of all of the output, which
  /// lie between the sums of one split and those of the next; 0: of the problem's output, if there
  /// are several splits.
  std::int64_t partial_elements = 0;
  bool adds = false;  // several splits add their sums to a single f32 tensor instead
};

/// `sharing` with its zeros filled in, but for partial_elements of a single split.
Sharing Complete(Sharing sharing, const TileConfig& config, const TargetTraits& target,
                 const Work& work);

/// The number of splits whose estimate is least, a power of two; 1 where the output has 2^31 or
/// more elements.
int ChooseSplits(const TileConfig& config, const TargetTraits& target, const Work& work);

/// Sets the taps along h and w of the filter that w with these strides has in memory: of which the
/// problem may have a part, but in which indices of taps count.
void SetFilter(const PerAxis& w_stride, int (&filter)[3]);

/// Cycles of a launch that moves `bytes` through memory and waits for the one before it.
double PassCycles(const TargetTraits& target, double bytes);

}  // namespace gridwise::tile
