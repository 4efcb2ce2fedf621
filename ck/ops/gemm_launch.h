// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/strings/str_format.h"
#include "ck/gemm/args.h"
#include "ck/gemm/config.h"
#include "ck/ops/estimate.h"
#include "core/arch/device_facts.h"
#include "core/base/math.h"
#include "core/estimate/choose_block_map.h"
#include "core/estimate/split_k.h"
#include "core/launch/launch.h"
#include "core/launch/launch_shape.h"

namespace gridwise::ck {

/// The size of a multiplication: rows and columns of C, and terms.
struct GemmSize {
  std::int64_t rows = 0, columns = 0, terms = 0;
};

/// The work of a launch, in tiles of a config.
struct Tiles {
  std::int64_t matrices = 1;
  std::int64_t count = 0, rows = 0, columns = 0;  // per matrix; rows of the largest problem
  Work work;

  /// `gemms` have `matrices` each, and the same columns.
  Tiles(const GemmConfig& config, std::span<const GemmSize> gemms, std::int64_t matrices_)
      : matrices(matrices_) {
    for (const GemmSize& gemm : gemms) {
      columns = CeilDiv<std::int64_t>(gemm.columns, config.tile.n);
      const std::int64_t tile_rows = CeilDiv<std::int64_t>(gemm.rows, config.tile.m);
      const std::int64_t steps = CeilDiv<std::int64_t>(gemm.terms, config.tile.k);
      rows = std::max(rows, tile_rows);
      count += tile_rows * columns;
      work.steps += static_cast<double>(matrices * tile_rows * columns * steps);
      work.max_steps = std::max(work.max_steps, static_cast<double>(steps));
    }
    work.tiles = static_cast<double>(matrices * count);
  }
};

/// Why a launch cannot have this many tiles.
inline std::optional<std::string> RejectTiles(const GemmConfig& config, const Tiles& tiles) {
  const std::int64_t most = kMaxWorkItems / config.threads();
  if (tiles.count <= most) return std::nullopt;
  return absl::StrFormat("there are %d tiles; must be at most %d", tiles.count, most);
}

/// The launch of a kernel on `problems`; a workgroup computes one of `tiles`, with K in `splits`
/// splits. `args` say what is multiplied and written; this fills in the rest. A table of several
/// problems has no address yet.
template <class Functions>
KernelLaunch MakeGemmLaunch(const GemmConfig& config, const KernelCode& code,
                            GemmArgs<Functions> args, std::span<const ProblemArgs> problems,
                            const Tiles& tiles, int splits, const DeviceFacts& device) {
  using Args = GemmArgs<Functions>;
  args.tiles_n = static_cast<int>(tiles.columns);
  args.map = ChooseBlockMap(device, {.tiles = tiles.count,
                                     .rows = tiles.rows,
                                     .columns = tiles.columns,
                                     .row_elements = config.tile.m,
                                     .column_elements = config.tile.n,
                                     .resident = ResidentWorkgroups(config, device, code.needs),
                                     .sections = static_cast<std::int64_t>(problems.size())});
  args.problems = static_cast<int>(problems.size());
  args.only = problems.front();
  return {.code = code,
          .shape = {.workgroups = {static_cast<unsigned>(tiles.count),
                                   static_cast<unsigned>(tiles.matrices),
                                   static_cast<unsigned>(splits)},
                    .threads = {static_cast<unsigned>(config.threads()), 1, 1}},
          .arguments = BytesOf(args),
          .addresses = {{offsetof(Args, a) + offsetof(OperandArgs, data), {Memory::kA}},
                        {offsetof(Args, b) + offsetof(OperandArgs, data), {Memory::kB}},
                        {offsetof(Args, out) + offsetof(OutputArgs, data), {Memory::kOut}}},
          .map = args.map};
}

}  // namespace gridwise::ck
