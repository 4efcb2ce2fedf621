// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "core/conv/gemm_map.h"
#include "core/conv/problem.h"
#include "core/cost/cost.h"
#include "core/cost/fitted_constants.h"
#include "core/launch/instance_shape.h"
#include "core/launch/launch.h"
#include "core/launch/refusal.h"
#include "core/rewrite/parts.h"

namespace gridwise {

class OperandForm;

/// Offsets within a tensor are bytes below this limit; see Buffer.
inline constexpr std::int64_t kOffsetLimit = std::int64_t{1} << 31;

/// Maximum number of sub-GEMMs in a launch: 6 MB of descriptors.
inline constexpr std::int64_t kMaxSubGemms = std::int64_t{1} << 16;

/// Why one launch cannot compute all of a problem, with the values that matter, and the axis along
/// which a launch may compute a part.
struct Excess {
  std::string reason;
  PartAxis axis;
};

/// How workgroups share the K of a tile.
struct SplitK {
  int splits = 0;  // workgroups per tile; 0: the estimated best number
  /// If the sums are f32 terms of the output: elements of the whole output, which is the distance
  /// from the sums of one split to the next. 0: the distance is the problem's output, if there are
  /// several splits.
  std::int64_t partial_elements = 0;
  bool adds = false;  // splits add their sums to a single f32 tensor instead
  /// Maximum number of splits that the launch adds up (PartKernel::max_fixup), so that the output
  /// is written once; 0: it has no fix-up.
  int max_fixup = 0;

  bool has_fixup() const { return max_fixup > 0; }
};

/// The work of a kernel: a part of a problem that it accepts and that is not too large.
struct PartRequest {
  const DeviceFacts& device;
  const ConvProblem& problem;
  /// Forward and backward-data: MakeSubGemms(problem), or a consecutive part of it.
  std::span<const SubGemm> sub_gemms;
  SplitK split_k;
  /// An estimate above this need not be exact: its number of splits need not be the best.
  double enough_cycles = std::numeric_limits<double>::infinity();
  KernelNeeds needs = {};  // of the kernel
  // OperandForm::splits_b: elements from one part of B to the next.
  std::int64_t part_elements = 0;
  std::int64_t merged_groups = 1;  // merged into one group of the problem, see WithMergedGroups
  std::size_t first_sub_gemm = 0;  // the index of sub_gemms.front() in MakeSubGemms(problem)
  const FittedConstants* fits = nullptr;  // null: estimates use the built-in constants

  /// The constants of estimates that the request carries; null: those that are built in.
  template <class Fit>
  const Fit* FindFit() const {
    return fits == nullptr ? nullptr : fits->Find<Fit>();
  }
};

/// The estimated cost of a PartRequest.
struct PartEstimate {
  int splits = 1;  // if above 1 and without a fix-up, the sums are f32 tensors in the
                   // output's layout
  Cost cost;       // `cycles` need not be filled in: launches and passes are added later
  std::int64_t fixup_bytes = 0;  // of workspace for the fix-up; 0: none

  int tensors() const { return fixup_bytes > 0 ? 1 : splits; }  // number of tensors written
};

/// The launch of a part, whose addresses are those of the part's own tensors.
struct PartLaunch {
  KernelLaunch launch;
  std::vector<std::byte> table;  // contents of Memory::kTable
};

/// A kernel that computes a problem, or a part of one, in one launch. Instances of a PartsFamily
/// implement it. Immutable.
class PartKernel {
 public:
  virtual ~PartKernel() = default;

  /// InstanceInfo::op; lives as long as the program.
  virtual std::string_view op() const { return ""; }
  /// The op and the config, printed.
  virtual std::string name() const = 0;
  virtual DataType type() const = 0;
  virtual InstanceShape shape() const { return {}; }
  virtual const KernelCode& code() const = 0;

  /// Whether the kernel applies epilogues and can add splits to a single tensor, and whether its
  /// epilogues may have unary functions. If not, it writes sums that a pass finishes.
  virtual bool has_epilogue() const = 0;
  virtual bool has_unary() const { return false; }
  /// Whether it applies this problem's epilogue, as a kernel without others may do with a bias.
  virtual bool AppliesEpilogue(const ConvProblem& /*problem*/) const { return has_epilogue(); }

  /// Maximum number of splits of a tile that a launch adds up; 0: it has no fix-up.
  virtual int max_fixup() const { return 0; }

  /// The form of operands that it needs (core/passes/operand_form.h), which lives as long as the
  /// program; null: AdjacentChannels().
  virtual const OperandForm* operands() const { return nullptr; }

  /// Whether it computes only functions of several tensors in place of A and B
  /// (ConvProblem::operand_sums).
  virtual bool sums_operands() const { return false; }

  /// Why it cannot compute `problem`, of any size, in `splits` splits (0: any number). Returns
  /// nullopt if it can.
  virtual std::optional<Refusal> Reject(const ConvProblem& problem, int splits) const = 0;

  /// Maximum number of sub-GEMMs in a launch; further ones need more launches.
  virtual std::size_t max_sub_gemms() const { return kMaxSubGemms; }

  /// Why one launch can only compute parts of the problem. Returns nullopt if one launch can
  /// compute it. Tiles may reach over `limit` bytes of a tensor, at most kOffsetLimit.
  virtual std::optional<Excess> TooLarge(const ConvProblem& problem, std::int64_t limit) const = 0;

  /// If the last round of a launch would leave most of the device idle: the number of images that
  /// fill the rounds before it, since the other images may be faster in a separate launch. 0: none.
  virtual std::int64_t ImagesOfWholeRounds(const PartRequest& /*request*/) const { return 0; }

  virtual PartEstimate Estimate(const PartRequest& request) const = 0;
  /// With as many splits as Estimate says.
  virtual PartLaunch MakeLaunch(const PartRequest& request) const = 0;
};

}  // namespace gridwise
