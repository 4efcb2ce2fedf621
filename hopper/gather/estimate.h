// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/conv/problem.h"
#include "core/cost/cost.h"
#include "core/launch/part_kernel.h"
#include "hopper/base/args.h"
#include "hopper/base/config.h"
#include "hopper/fit/fit.h"

/// How gather and weight instances divide a problem among workgroups, by estimates.

namespace gridwise::hopper {

/// Tiles of a launch, not counting its splits.
struct Grid {
  std::int64_t of_group = 0, groups = 1;
  std::int64_t n_tiles = 1, m_tiles = 1;  // m_tiles of backward-weight
  double steps = 0;                       // k iterations of all tiles
  double max_steps = 0, min_steps = 1e9;  // k iterations of the longest and the shortest tile

  double tiles() const { return static_cast<double>(of_group * groups); }
};

/// Channels per group of the gathered tensor.
std::int64_t SourceChannels(const ConvProblem& problem);

/// K tiles that cover `k` elements of K.
std::int64_t KTilesOf(const Config& config, std::int64_t k);

/// Channels of w that a box loads if w lies along K: a multiple of the 8 of a swizzled block that
/// divides a tile, so that few boxes load few channels that do not exist.
int ColumnsOfBox(const Config& config, std::int64_t columns, const Fit& fit);

/// Whether the last k tile of a tap begins with channels that the one before also has, whose
/// products are left out: TMA takes six times as long for a line that it fills up with zeros.
bool KTilesOverlap(const Config& config, std::int64_t channels);

/// The products of a tap's last k tile: without channels that the k tile before also has, or that
/// do not exist. If all k tiles are partial, they are computed as whole ones, whose products start
/// sooner.
Products ProductsOfLast(const Config& config, std::int64_t channels);
/// K tiles of a tap with all of their products.
std::int64_t WholeKTilesOf(const Config& config, std::int64_t channels);

/// Backward-weight of f32 and tf32: groups of few channels that a tile multiplies with each other;
/// it stores only the products of each with itself.
std::int64_t GroupsOfTile(const Config& config, const ConvProblem& problem);

Grid GridOf(const Config& config, const PartRequest& request);

/// Returns the fewest splits of K for which sums are as exact as core/reference/compare.h requires.
/// The tensor core truncates f32 sums where other units round them, so sums shrink by 1.0e-9 of
/// themselves per product of uniform operands (f16 on an H200). That error grows with K, and the
/// tolerance with its square root. Of 65,536 sums of 16,384 products, the worst is off by 0.87 of
/// the tolerance. With 65,536 products it is 1.75, and 0.88 in two splits; with 262,144 products it
/// is 3.5.
///
/// In f32 the tensor core sums single k tiles, which are added up like other f32 values, with an
/// error of 2.0e-8 of the sums times the square root of the number of k tiles. For the 512 k tiles
/// of a split of backward-weight that is 4.5e-7; cuDNN's error is 4.6e-7 and more. Sums of the
/// other directions are shorter.
int MinSplits(const ConvProblem& problem);

/// How workgroups share the K of a tile: a number of splits, whose sums a pass adds, or which are a
/// cluster that adds them.
struct Shared {
  int splits = 1;
  bool in_cluster = false;
  Cost cost = {};

  int cluster() const { return in_cluster ? splits : 1; }
};

/// Returns the choice of least estimate, over all numbers of splits or the one in the request.
Shared MinShared(const Config& config, const PartRequest& request);

/// The request with as many splits as there are tensors of sums.
SplitK SplitKOf(const PartRequest& request, const Shared& shared);

}  // namespace gridwise::hopper
