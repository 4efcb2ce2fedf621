#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/arch/device_facts.h"
#include "core/arch/tensor_map_spec.h"
#include "core/conv/problem.h"
#include "core/cost/cost.h"
#include "core/launch/launch.h"
#include "hopper/halo.h"
#include "hopper/halo_args.h"

/// Tiles of halo and narrow instances, see hopper/halo.h.

namespace gridwise::hopper {

inline constexpr int kBlock = 64;  // channels

/// What an instance does with a problem, whatever the size of its tiles.
struct HaloShape {
  struct Tap {
    int plane;
    std::array<int, 2> shift;   // of pixels in the plane
    std::array<int, 3> source;  // pixels from the patch's corner: d, h, w
    std::array<int, 3> filter;
  };
  /// Slices of the source that a slice of the output meets.
  struct Depth {
    int taps = 1;
    int origin = 0;  // slice of the source that the first one begins at
    int step = 1;
    int pixels = 1;
  };
  std::vector<Tap> taps;                   // phase by phase
  std::vector<int> phase_end;              //
  std::vector<std::array<int, 3>> planes;  // source pixels from the patch's corner
  Depth depth;
  std::array<int, 2> origin = {};  // source pixel of the patch of the first tile
  std::array<int, 2> step = {};    // source pixels from one pixel of a tile to the next
  std::array<int, 2> reach = {};   // the furthest shift
  std::array<int, 2> pixels = {};  // of the largest phase
  std::array<int, 2> flip = {};    // 1: an axis' first phase is of odd pixels
};

/// Tiles of a row, and the shared memory that they take.
struct HaloTiling {
  int tile_h = 0, tile_w = 0, pitch = 0, lines = 0;
  int box_bytes = 0, plane_bytes = 0, stage_bytes = 0, shared_bytes = 0;
  std::int64_t tiles = 0;  // of a block of channels
};

/// Where a stage has pixels of dy.
enum class DyInStage { kNone, kByPitch, kPacked };

/// What tiles of a row must keep.
struct HaloLimits {
  std::int64_t pixels;  // of a tile, by pitch
  int up = 1;           // lines of the output are so much longer
  int multiple = 1;     // of a tile's pixels, by pitch
  int stages = 0;
  std::int64_t other_bytes = 0;  // of shared memory, but for stages
  int filter_bytes = 0;          // in a stage
  DyInStage dy = DyInStage::kNone;
  int channels = kBlock;  // of a pixel, in a stage
  bool by_slice = false;  // a stage has planes of one slice of the source, not of all, and cycles
                          // are those of one
};

/// Cycles of a workgroup for a tile.
struct TileCycles {
  double matrix, memory;
  double patch;  // its part of memory
  double alone;  // of a tile: from its patch's arrival to the first product, and stores
  double both() const { return std::max(matrix, memory) + 0.25 * patch + alone; }
};

/// What an instance asks of tiles, and what they take.
struct HaloInstance {
  int up = 1;  // phases along an axis
  int most_taps = kMaxHaloTaps;
  std::function<HaloLimits(const HaloShape&)> limits;
  std::function<double(const HaloShape&, const HaloTiling&)> matrix;  // cycles
  int window = kMaxHaloTaps;                                          // taps of a workgroup
  double alone = 1500;                                                // cycles
  double pixels_of_other = 1;  // of the output, or of dy, for a pixel of a tile, in its bytes
};

/// How an instance computes a problem.
struct Halo {
  HaloShape shape;
  HaloTiling tiling;
  TileCycles cycles;
  HaloLimits limits;
  int windows = 1;  // of taps, that workgroups divide
};

/// The tiling with the least estimate, or the first that fits; or the reason why the instance
/// cannot do it.
enum class Wanted { kBest, kAny };
std::variant<std::string, Halo> MakeHalo(const ConvProblem& problem, const DeviceFacts& device,
                                         const HaloInstance& row, Wanted wanted = Wanted::kBest);

/// Channels from one group of the source to the next.
std::int64_t GroupPitch(const ConvProblem& problem);
/// Why instances for groups of few channels cannot compute the problem, whatever they are.
std::optional<std::string> RejectHalo(const ConvProblem& problem);
/// Why boxes of pixels of x or y cannot be loaded.
std::optional<std::string> RejectPixels(const ConvProblem& problem);

/// `channels` of boxes of pixels of x or y, of every `step`-th.
TensorMapSpec PixelsMap(const ConvProblem& problem, Tensor tensor, int lines, int pixels,
                        const std::array<int, 2>& step, int channels = kBlock);

/// The arguments that say what and how, but for where the rest of shared memory is.
HaloArgs MakeHaloArgs(const ConvProblem& problem, const Halo& halo, Tensor source, Tensor pixels);

/// Of 64 channels, and in backward-weight of one group pairs of those of x and of dy.
std::int64_t BlocksOf(const ConvProblem& problem);
/// Workgroups that share the tiles of a block of channels and a window.
std::int64_t WorkgroupsOf(const ConvProblem& problem, const DeviceFacts& device, const Halo& halo);
LaunchShape HaloLaunchShape(std::int64_t workgroups, int threads, std::int64_t shared_bytes);

/// `efficiency` is of memory and the tensor core, by measurement of the row's kind.
Cost HaloCost(const Halo& halo, const ConvProblem& problem, const DeviceFacts& device,
              std::int64_t sharing_workgroups, double fixed, double efficiency);

}  // namespace gridwise::hopper
