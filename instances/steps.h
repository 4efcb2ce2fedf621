#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/cost.h"
#include "core/conv/parts.h"
#include "core/conv/problem.h"
#include "core/runtime/module.h"
#include "tile/config.h"
#include "tile/direct_config.h"
#include "tile/plan_bwd_weight.h"
#include "tile/plan_direct.h"
#include "tile/plan_gather.h"

/// What a plan consists of: the launches of kernels, as values.

namespace gridwise {

/// Tables of compiled kernels.
enum class KernelTable { kGather, kBwdWeight, kDirect, kPasses };

/// A row of either family.
using Row = std::variant<tile::TileConfig, tile::DirectConfig>;

/// The rows of a direction, by their index.
int RowCount(Direction direction);
Row RowAt(Direction direction, int index);

/// Where a row's kernel is.
struct RowKernel {
  KernelTable table;
  int row;  // of the table
  std::string symbol;
};
RowKernel KernelOf(Direction direction, int index);

/// Device memory that a launch is given the address of.
enum class Memory { kA, kB, kOut, kD0, kD1, kWorkspace };

/// One launch, but for the addresses.
struct Step {
  /// An address among the arguments: 8 bytes from byte `at` on.
  struct Address {
    std::size_t at;
    Memory memory;
    std::int64_t offset;  // bytes from its start
  };

  KernelTable table;
  int row;             // of the table, which says in which code object the kernel is
  std::string symbol;  // of the kernel
  LaunchShape shape;
  std::vector<std::byte> arguments;
  std::vector<Address> addresses;
};

/// Launches in their order, on memory that one stream gives them.
struct Steps {
  std::vector<Step> steps;
  std::vector<std::byte> upload;  // host bytes that the workspace begins with
  std::int64_t workspace_bytes = 0;
  std::int64_t zero_at = 0, zero_bytes = 0;  // part of the workspace that must be zero at the start
};

/// How a row's kernel computes a problem.
using KernelPlan = std::variant<tile::GatherPlan, tile::BwdWeightPlan, tile::DirectGatherPlan,
                                tile::DirectWeightPlan>;

/// How a row computes a problem: in parts, which together write the output once, or are terms of
/// its sums.
struct RowPlan {
  struct Part {
    ConvPart part;
    KernelPlan kernel;
    int term = 0;  // of the sums that are its output
  };
  std::vector<Part> parts;
  int terms = 0;           // of every sum; 1: each part writes elements of its own
  bool has_gaps = false;   // some sums have fewer: the others are zero
  int splits = 1;          // workgroups that share the K of a tile, in each part
  bool adds = false;       // splits and terms are added to one f32 tensor, in no order
  bool sums_only = false;  // parts write f32 sums even of one term, for a launch that finishes them
  Cost cost;
};

/// The problem that the rows compute for `problem`, of which the launches before and after them
/// make tensors in the layouts that rows have: NGCHW is transposed to NHWGC and back, and x of few
/// channels is padded, see core/conv/fold.h.
ConvProblem RowProblem(const ConvProblem& problem);

/// The launches that compute `problem`: `plan` is how row `row` of its direction computes
/// RowProblem(problem).
Steps MakeSteps(const ConvProblem& problem, int row, const RowPlan& plan);

/// Estimated cycles of the launches other than the row's and what belongs to it.
double CopyCycles(const ConvProblem& problem, Gfx gfx);

/// The code object of a table for `gfx` that holds row `row`.
absl::StatusOr<std::string_view> FindCode(KernelTable table, Gfx gfx, int row);

}  // namespace gridwise
