#pragma once

#include <cstdint>

#include "core/conv/problem.h"
#include "core/cost/cost.h"
#include "core/launch/part_kernel.h"
#include "hopper/config.h"

/// How instances of gather and weight divide a problem among workgroups, by what that is estimated
/// to take.

namespace gridwise::hopper {

/// Tiles of a launch, without its splits.
struct Grid {
  std::int64_t of_group = 0, groups = 1;
  std::int64_t n_tiles = 1, m_tiles = 1;     // m_tiles of backward-weight
  double steps = 0;                          // of K, of all tiles
  double most_steps = 0, least_steps = 1e9;  // of a tile

  double tiles() const { return static_cast<double>(of_group * groups); }
};

/// Channels of a group of the tensor that is gathered from.
std::int64_t SourceChannels(const ConvProblem& problem);

/// K tiles of so many elements of K.
std::int64_t KTilesOf(const Config& config, std::int64_t k);

/// Groups of few channels whose products with each other a tile of backward-weight computes, of
/// f32: it stores those of each with itself.
std::int64_t GroupsOfTile(const Config& config, const ConvProblem& problem);

Grid GridOf(const Config& config, const PartRequest& request);

/// The fewest splits of K that leave sums as exact as core/reference/compare.h wants them. The
/// tensor core cuts f32 sums off where other units round them, so that they shrink: by 1.0e-9 of
/// themselves a product of uniform operands (f16 on an H200). That grows with K, and the tolerance
/// with its root. Of 65,536 sums of 16,384 products the worst is off by 0.87 of the tolerance, of
/// 65,536 products by 1.75 and in two splits by 0.88, of 262,144 by 3.5. Of f32 it
/// sums single k tiles, which are added up as other f32 is, with an error of 2.0e-8 of the sums for
/// the root of the k tiles: of the 512 of a split of backward-weight 4.5e-7, while cuDNN's
/// is 4.6e-7 and more. Sums of the other directions are shorter.
int LeastSplits(const ConvProblem& problem);

/// How workgroups share the K of a tile: splits, whose sums a pass adds up or the cluster that they
/// are.
struct Shared {
  int splits = 1;
  bool in_cluster = false;
  Cost cost = {};

  int cluster() const { return in_cluster ? splits : 1; }
};

/// The one of least estimate, of any number of splits or of as many as the request says.
Shared LeastShared(const Config& config, const PartRequest& request);

/// The request with as many splits as they are tensors of sums.
SplitK SplitKOf(const PartRequest& request, const Shared& shared);

}  // namespace gridwise::hopper
