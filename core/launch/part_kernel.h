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
#include "core/launch/instance_shape.h"
#include "core/launch/launch.h"
#include "core/launch/refusal.h"
#include "core/rewrite/parts.h"

namespace gridwise {

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

/// How workgroups share the K of a tile.
struct SplitK {
  int splits = 0;  // workgroups of a tile; 0: as many as are estimated to be fastest
  /// Where the sums are not the output but f32 terms of it: elements of all of the output, which
  /// lie between the sums of one split and those of the next; 0: of the problem's output, if there
  /// are several splits.
  std::int64_t partial_elements = 0;
  bool adds = false;  // several splits add their sums to a single f32 tensor instead
  /// Splits that the launch joins at most (PartKernel::max_fixup), so that the output is written
  /// once; 0: it joins none.
  int max_fixup = 0;

  bool has_fixup() const { return max_fixup > 0; }
};

/// What a kernel is to compute: a part of a problem that it accepts and that is not too large.
struct PartRequest {
  const DeviceFacts& device;
  const ConvProblem& problem;
  /// Of forward and backward-data: MakeSubGemms(problem), or some that follow each other there.
  std::span<const SubGemm> sub_gemms;
  SplitK split_k;
  /// Of an estimate that is above, no more is asked than that it is: its splits need not be best.
  double enough_cycles = std::numeric_limits<double>::infinity();
  KernelNeeds needs = {};  // of the kernel
  // Of Pixels::kParts: elements from one part of B to the next.
  std::int64_t part_elements = 0;
  std::int64_t merged_groups = 1;  // that are one of the problem's, see WithMergedGroups
  std::size_t first_sub_gemm = 0;  // the index of sub_gemms.front() in MakeSubGemms(problem)
};

/// What that takes.
struct PartEstimate {
  int splits = 1;  // above 1, their sums are f32 tensors in the output's layout, to be added up,
                   // unless they are joined in the launch
  Cost cost;       // its cycles need not be filled in: launches and passes are added to it
  std::int64_t fixup_bytes = 0;  // of the workspace in which they are joined; 0: they are not

  int tensors() const { return fixup_bytes > 0 ? 1 : splits; }  // that are written
};

/// The launch of a part, whose addresses are those of the part's own tensors.
struct PartLaunch {
  KernelLaunch launch;
  std::vector<std::byte> table;  // what it reads of Memory::kTable
};

/// What a kernel wants of operands on a target with TMA: pixels of few channels copied, so
/// that it can load them, and 8-bit floats as a type that its matrix unit multiplies; the same, and
/// groups of few channels a power of two apart, since it computes several at a time; or all as it
/// is; or pixels as they are, but elements of 8 bits, i8 too, as such a type; or spaced ones of a
/// problem whose taps are columns or rows, where that pays; or, of f32, the same and B in bf16
/// parts (core/arch/parts.h), where B1 is B as it is.
enum class Pixels { kSpaced, kGroupsApart, kAsTheyAre, kFloatsAsTheyAre, kSpacedTaps, kParts };

/// A kernel that computes a problem, or a part of one, in a launch of its own: instances of which a
/// PartsFamily is made. Immutable.
class PartKernel {
 public:
  virtual ~PartKernel() = default;

  /// InstanceInfo::op; lives as long as the program.
  virtual std::string_view op() const { return ""; }
  /// Its op and its config, printed.
  virtual std::string name() const = 0;
  virtual DataType type() const = 0;
  virtual InstanceShape shape() const { return {}; }
  virtual const KernelCode& code() const = 0;

  /// Whether it applies epilogues itself, and can add splits to a single tensor; and whether these
  /// may have unary functions. Else it writes sums that a pass finishes.
  virtual bool has_epilogue() const = 0;
  virtual bool has_unary() const { return false; }

  /// Whether its launch joins the splits of a tile, at most so many; 0: it does not.
  virtual int max_fixup() const { return 0; }

  virtual Pixels pixels() const { return Pixels::kSpaced; }

  /// Whether it computes functions of several tensors in place of A and B
  /// (ConvProblem::operand_sums), and nothing else.
  virtual bool sums_operands() const { return false; }

  /// The reason why it cannot compute `problem`, of any size, in `splits` splits (0: any number);
  /// nothing if it can.
  virtual std::optional<Refusal> Reject(const ConvProblem& problem, int splits) const = 0;

  /// Sub-GEMMs of a launch, at most: more are computed by several.
  virtual std::size_t most_sub_gemms() const { return kMaxSubGemms; }

  /// Why one launch can only compute parts of it; nothing if it can compute it at once. Tiles may
  /// reach over `limit` bytes of a tensor, at most kOffsetLimit.
  virtual std::optional<Excess> TooLarge(const ConvProblem& problem, std::int64_t limit) const = 0;

  /// Of a launch whose last round would leave most of the device idle, the images that fill the
  /// rounds before it: the others may be faster by themselves. 0: none.
  virtual std::int64_t ImagesOfWholeRounds(const PartRequest& /*request*/) const { return 0; }

  virtual PartEstimate Estimate(const PartRequest& request) const = 0;
  /// With as many splits as Estimate says.
  virtual PartLaunch MakeLaunch(const PartRequest& request) const = 0;
};

}  // namespace gridwise
