// SPDX-License-Identifier: MIT
#include "core/estimate/choose_block_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "absl/strings/str_format.h"
#include "core/arch/device_facts.h"

namespace gridwise {
namespace {

constexpr int kMaxLog2Band = 5;

constexpr double kAllColumns = std::numeric_limits<double>::infinity();

/// Rows of A and columns of B that `resident` consecutive slots read, in elements of K. Rows that
/// L2 keeps from tap to tap count once for all `taps` of K; columns count at most `channels`, if
/// they are the same at each tap.
double Reads(const TileGrid& grid, double resident, int log2_band, double taps = 1,
             double channels = kAllColumns) {
  const auto columns = static_cast<double>(grid.columns);
  const double band_rows = std::ldexp(1.0, log2_band);
  const double bands = resident / (band_rows * columns);  // number that the slots fill
  const double rows = std::ceil(std::max(bands, 1.0)) * band_rows;
  const double touched = std::min(columns, std::ceil(resident / band_rows));
  return std::min(rows, static_cast<double>(grid.rows)) * grid.row_elements / taps +
         std::min(touched * grid.column_elements, channels);
}

constexpr std::int64_t kLineBytes = 128;
// Data that is read again and again lies in the sets of L2 into which its channels of each pixel
// fall. Fewer groups at a time must save a quarter of what workgroups read.
constexpr double kWorthIt = 0.75;

/// What a workgroup reads if `tiles` tiles of a group run at the same time.
double ReadsOfTile(const TileGrid& grid, double tiles) {
  tiles = std::clamp(tiles, 1.0, static_cast<double>(grid.tiles));
  const double channels = grid.sums_pixels() ? static_cast<double>(grid.channels) : kAllColumns;
  return Reads(grid, tiles, 0, /*taps=*/1, channels) / tiles;
}

/// The least number of groups that have whole lines to themselves and divide all groups.
std::int64_t GroupsOfLines(const TileGrid& grid) {
  std::int64_t groups = kLineBytes / std::gcd(kLineBytes, grid.group_bytes);
  while (groups < grid.groups && grid.groups % groups != 0) ++groups;
  return std::min(groups, grid.groups);
}

/// Bytes of L2 that a group's channels of a pixel occupy if groups run one after the other: pixels
/// whose distance is a multiple of a power of two lines fall into one of that many sets.
double BytesOfSets(const TileGrid& grid) {
  const std::int64_t lines = grid.pixel_bytes / kLineBytes;
  return static_cast<double>(std::max(grid.group_bytes, (lines & -lines) * kLineBytes));
}

/// How many of the groups run next to each other: all, those of whole lines, or one.
std::int64_t AdjacentGroupsOf(const DeviceFacts& device, const TileGrid& grid) {
  constexpr double kOfPixels = 0.75;  // of L2; the rest is for columns, which pass through
  constexpr double kEdges = 1.05;     // tiles at an image's edges have fewer pixels
  if (grid.group_bytes == 0) return 1;
  const double resident = device.compute_units * grid.resident / device.xcds;
  const auto groups = static_cast<double>(grid.groups);
  if (grid.group_bytes < kLineBytes) {
    if (!grid.sums_pixels()) return grid.groups;
    const std::int64_t few = GroupsOfLines(grid);
    const double of_few = ReadsOfTile(grid, resident / static_cast<double>(few));
    return of_few < kWorthIt * ReadsOfTile(grid, resident / groups) ? few : grid.groups;
  }
  if (grid.taps == 1) return 1;
  const double tiles = std::max(1.0, resident / groups);  // per group
  const double rows = std::max(1.0, tiles / static_cast<double>(grid.columns));
  const double pixels =
      std::min(groups, resident) * rows * grid.row_elements * static_cast<double>(grid.group_bytes);
  const double l2 = device.machine.l2_bytes;
  const double of_one =
      std::max(1.0, resident / static_cast<double>(grid.columns)) * grid.row_elements;
  const bool one_stays = of_one * BytesOfSets(grid) <= l2;
  // If the pixels of one group do not stay, those of all may leave room only for the columns of a
  // tap.
  const double columns =
      std::min(groups, resident) * grid.column_elements * static_cast<double>(grid.group_bytes);
  if (pixels > kOfPixels * l2 && (one_stays || pixels + columns > kEdges * l2)) return 1;
  // Per tile.
  const double beside = Reads(grid, tiles, 0, static_cast<double>(grid.taps)) / tiles;
  const double behind = Reads(grid, resident, 0) / resident;
  return beside < behind ? grid.groups : 1;
}

/// Whether XCDs have runs of sections or of the launch, for `runs` runs of adjacent groups and
/// `resident` workgroups per XCD at a time.
RunsOf ChooseRuns(const TileGrid& grid, std::int64_t runs, int xcds, double resident) {
  if (grid.sums_pixels() || (runs == 1 && grid.sections == 1)) return RunsOf::kLaunch;
  // Otherwise some XCDs would have more of the long sections than others.
  if (grid.sections > 1 && runs % xcds != 0) return RunsOf::kSection;
  const double of_section = static_cast<double>(grid.tiles) / xcds;
  const double of_launch = of_section * static_cast<double>(runs);
  const auto reads = [&](double tiles) { return ReadsOfTile(grid, std::min(tiles, resident)); };
  return reads(of_launch) < kWorthIt * reads(of_section) ? RunsOf::kLaunch : RunsOf::kSection;
}

}  // namespace

BlockMap ChooseBlockMap(const DeviceFacts& device, const TileGrid& grid) {
  const std::int64_t adjacent = AdjacentGroupsOf(device, grid);
  const int xcds = grid.tiles * grid.groups * grid.splits >= 2 * device.xcds ? device.xcds : 1;
  const std::int64_t runs = grid.groups / adjacent;
  const double units = static_cast<double>(device.compute_units) / xcds;
  const RunsOf runs_of = ChooseRuns(grid, runs, xcds, units * grid.resident);
  // Tiles that run at the same time.
  const auto tiles = static_cast<double>(grid.tiles);
  const auto of_tile = static_cast<double>(adjacent * (grid.sums_pixels() ? 1 : grid.splits));
  const double of_xcds = tiles * static_cast<double>(runs_of == RunsOf::kLaunch ? runs : 1) *
                         static_cast<double>(grid.sums_pixels() ? grid.splits : 1);
  const double of_xcd = std::min(tiles, of_xcds / xcds);
  const double resident = std::clamp(of_xcd, 1.0, std::max(1.0, units * grid.resident / of_tile));
  int log2_band = 0;
  double least = Reads(grid, resident, 0);
  for (int candidate = 1; candidate <= kMaxLog2Band && (1 << candidate) <= grid.rows; ++candidate) {
    if (grid.columns == 1) break;  // all orders are the same
    const double reads = Reads(grid, resident, candidate);
    if (reads >= least) continue;
    least = reads;
    log2_band = candidate;
  }
  return MakeBlockMap(static_cast<int>(grid.tiles), static_cast<int>(grid.columns), xcds, log2_band,
                      static_cast<int>(grid.groups), static_cast<int>(adjacent),
                      static_cast<int>(grid.splits), runs_of);
}

std::string ToString(const BlockMap& map) {
  const std::string bands =
      map.log2_band == 0 ? "row-major" : absl::StrFormat("bands of %d rows", map.band());
  const int xcds = std::max(map.of_launch.xcds, map.of_section.xcds);
  const bool by_groups = map.of_launch.xcds > 1 && map.groups > map.adjacent;
  return xcds == 1 ? bands
                   : absl::StrFormat("%d XCDs%s, %s", xcds, by_groups ? " by groups" : "", bands);
}

}  // namespace gridwise
