// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "core/arch/device_facts.h"
#include "core/arch/tensor_map_spec.h"
#include "core/conv/problem.h"
#include "core/cost/cost.h"
#include "core/launch/launch.h"
#include "core/launch/refusal.h"
#include "hopper/halo/args.h"
#include "hopper/halo/config.h"

/// Tiles of halo and narrow instances, see hopper/halo/config.h.

namespace gridwise::hopper {

inline constexpr int kBlock = 64;  // channels
inline constexpr std::int64_t kBarrierBytes = 64;

/// The work of an instance on a problem, for any size of its tiles.
struct HaloShape {
  struct Tap {
    int plane;
    std::array<int, 2> shift;   // how far pixels are shifted in the plane
    std::array<int, 3> source;  // pixels from the patch's corner: d, h, w
    std::array<int, 3> filter;
  };
  /// Slices of the source that a slice of the output meets.
  struct Depth {
    int taps = 1;
    int origin = 0;  // slice of the source at which the first one begins
    int step = 1;
    int pixels = 1;
  };
  int tap_count() const { return static_cast<int>(taps.size()); }

  std::vector<Tap> taps;                   // phase by phase
  std::vector<int> phase_end;              //
  std::vector<std::array<int, 3>> planes;  // source pixels from the patch's corner
  Depth depth;
  std::array<int, 2> origin = {};  // source pixel of the patch of the first tile
  std::array<int, 2> step = {};    // source pixels from one pixel of a tile to the next
  std::array<int, 2> reach = {};   // the furthest shift
  std::array<int, 2> pixels = {};  // pixels of the largest phase
  std::array<int, 2> flip = {};    // 1: an axis' first phase is of odd pixels
};

/// Tiles of a row, and the shared memory that they take.
struct HaloTiling {
  int tile_h = 0, tile_w = 0, pitch = 0, lines = 0;
  int box_bytes = 0, plane_bytes = 0, stage_bytes = 0, shared_bytes = 0;
  std::int64_t tiles = 0;  // tiles of one block of channels
};

/// Pixels of a tile along an axis, and tiles.
struct Extent {
  int pixels;
  int count;
};
/// The extents of tiles up to `most` that leave no avoidable waste in the last tile of `pixels`,
/// the smallest first.
absl::InlinedVector<Extent, 64> ExtentsUpTo(int pixels, int most);

/// Where a stage has pixels of dy.
enum class DyInStage { kNone, kByPitch, kPacked };

/// Limits on the tiles of an instance.
struct HaloLimits {
  std::int64_t pixels;  // per tile, by pitch
  int up = 1;           // factor by which lines of the output are longer
  int multiple = 1;     // a tile's pixels, by pitch, are a multiple of this
  int unit_w = 1;       // and so are pixels of its lines
  int unit_h = 1;       // and its lines
  int unit_pitch = 1;   // and pitches
  int stages = 0;
  std::int64_t other_bytes = 0;  // shared memory without stages
  int filter_bytes = 0;          // in a stage
  DyInStage dy = DyInStage::kNone;
  int channels = kBlock;  // per pixel, in a stage
  bool by_slice = false;  // a stage has planes of one slice of the source, not all, and cycles are
                          // per slice
};

/// Cycles of a workgroup per tile.
struct TileCycles {
  double matrix, memory;
  double patch;  // memory's part of it
  double alone;  // per tile: from its patch's arrival to the first product, and stores
  double both() const { return std::max(matrix, memory) + 0.25 * patch + alone; }
};

/// What an instance requires of tiles, and their cost.
struct HaloInstance {
  int up = 1;  // phases along an axis
  int max_taps = kMaxHaloTaps;
  absl::FunctionRef<HaloLimits(const HaloShape&)> limits;
  absl::FunctionRef<double(const HaloShape&, const HaloTiling&)> matrix;  // cycles
  int window = kMaxHaloTaps;                                              // taps per workgroup
  double alone = 1500;                                                    // cycles
  double pixels_of_other = 1;  // pixels of the output, or of dy, per pixel of a tile, in its bytes
};

/// How an instance computes a problem.
struct Halo {
  std::shared_ptr<const HaloShape> shape;
  HaloTiling tiling;
  TileCycles cycles;
  HaloLimits limits;
  int windows = 1;  // windows of taps that workgroups divide
};

/// The tiling with the least estimate, or none if only that there is one is to be known.
enum class Wanted { kBest, kAny };
/// Returns how the instance computes the problem, or the reason why it cannot.
std::variant<Refusal, Halo> MakeHalo(const ConvProblem& problem, const DeviceFacts& device,
                                     const HaloInstance& row, Wanted wanted = Wanted::kBest);

/// Why an instance cannot compute the problem: another direction or type, or what `make` says,
/// which is called last.
template <class Config, class Make>
std::optional<Refusal> RejectTiles(const Config& config, Direction direction,
                                   const ConvProblem& problem, const Make& make) {
  if (problem.direction != direction) {
    return Refuse<"direction is %s; the instance is for %s">(Name(problem.direction),
                                                             Name(direction));
  }
  if (problem.type != config.type) {
    return Refuse<"type is %s; the instance is for %s">(Name(problem.type), Name(config.type));
  }
  std::variant<Refusal, Halo> made = make();
  if (auto* reason = std::get_if<Refusal>(&made)) return std::move(*reason);
  return std::nullopt;
}

/// Channels from one group of the source to the next.
std::int64_t GroupPitch(const ConvProblem& problem);
/// Why no instance for groups of few channels can compute the problem.
std::optional<Refusal> RejectHalo(const ConvProblem& problem);
/// Why boxes of pixels of x or y cannot be loaded.
std::optional<Refusal> RejectPixels(const ConvProblem& problem);

/// Map with boxes of `channels` channels of pixels of x or y, every `step`-th.
TensorMapSpec PixelsMap(const ConvProblem& problem, Tensor tensor, int lines, int pixels,
                        const std::array<int, 2>& step, int channels = kBlock);

/// The arguments that describe the work, without the layout of the rest of shared memory.
HaloArgs MakeHaloArgs(const ConvProblem& problem, const Halo& halo, Tensor source, Tensor pixels);

/// Blocks of channels (BlockOf); in backward-weight of one group, pairs of blocks of x and of dy.
std::int64_t BlocksOf(const ConvProblem& problem);
/// Workgroups that share the tiles of a block of channels and a window.
std::int64_t WorkgroupsOf(const ConvProblem& problem, const DeviceFacts& device, const Halo& halo);
LaunchShape HaloLaunchShape(std::int64_t workgroups, int threads, std::int64_t shared_bytes);

/// `efficiency` is of memory and the tensor core, measured for the kind of instance.
Cost HaloCost(const Halo& halo, const ConvProblem& problem, const DeviceFacts& device,
              std::int64_t sharing_workgroups, double fixed, double efficiency);

}  // namespace gridwise::hopper
