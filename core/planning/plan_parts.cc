// SPDX-License-Identifier: MIT
#include "core/planning/plan_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_format.h"
#include "core/arch/device_facts.h"
#include "core/base/math.h"
#include "core/conv/sub_gemms.h"
#include "core/cost/pass_cycles.h"
#include "core/passes/layout_passes.h"

namespace gridwise {
namespace {

constexpr std::size_t kMaxParts = std::size_t{1} << 16;

/// How a kernel computes a problem in parts. Together the parts write the output once, or they
/// compute terms of its sums.
struct Division {
  struct Part {
    const ConvPart* part;        // of the context, or of the divider that made it
    int term = 0;                // index of the term that it computes
    PartEstimate estimate = {};  // for all its launches
  };
  absl::InlinedVector<Part, 2> parts;
  int terms = 0;           // per sum; 1: no two parts write the same element
  bool has_gaps = false;   // some sums have fewer terms; the missing ones are zero
  bool adds = false;       // splits and terms are added atomically to one f32 tensor
  bool sums_only = false;  // parts write f32 sums, even of one term; a pass finishes them
  Cost cost = {};

  int splits() const { return parts[0].estimate.splits; }
  int tensors() const { return parts[0].estimate.tensors(); }  // of sums, per term
  bool is_partial() const { return tensors() * terms > 1 || sums_only; }
};

const OperandForm& FormOf(const PartKernel& kernel) {
  return kernel.operands() == nullptr ? AdjacentChannels() : *kernel.operands();
}

/// Divides the canonical problem of a context into parts for a kernel. Most problems are one part,
/// and no problem is copied for them: planning asks some hundred kernels.
class Divider {
 public:
  Divider(const PartKernel& kernel, PlanContext& context)
      : kernel_(kernel), context_(context), canonical_(context.canonical(FormOf(kernel))) {}

  /// Returns the reason if the kernel cannot compute the problem. Otherwise fills in division().
  std::optional<Refusal> Divide() {
    const ConvProblem& problem = canonical_.problem();
    if (problem.sums_operands() != kernel_.sums_operands()) {
      return problem.sums_operands()
                 ? Refuse<"operands are sums of two tensors; the instance does not add operands">()
                 : Refuse<"operands are single tensors; the instance needs sums of two tensors">();
    }
    // Forms make f32 of tf32, but not the other way round.
    if (kernel_.type() == DataType::kTF32 && context_.problem().type != DataType::kTF32) {
      return Refuse<"type is %s; the instance is for tf32">(Name(context_.problem().type));
    }
    if (context_.options().adds && kernel_.max_fixup() > 0) {
      return Refuse<
          "atomic addition of splits is requested; the instance adds them in a fixed order">();
    }
    if (auto reason = AddPart(canonical_.whole, /*term=*/0, division_.terms)) return reason;
    const bool has_unary = problem.epilogue.unary != Unary::kNone;
    division_.sums_only = canonical_.writes_sums ||
                          (problem.epilogue != Epilogue{} && !kernel_.AppliesEpilogue(problem)) ||
                          (!kernel_.has_unary() && has_unary);
    division_.adds = context_.options().adds && kernel_.has_epilogue();
    SetCost(division_);
    DivideRounds();
    return std::nullopt;
  }

  /// Valid as long as the divider, and until the context makes other cuts.
  const Division& division() const { return division_; }

  /// Calls visit(request) for each launch of a part. There is one, unless each sub-GEMM has its own
  /// launch or there are more sub-GEMMs than fit in one.
  template <class Visit>
  void VisitLaunches(const Division& division, const ConvProblem& part, Visit visit) const {
    PartRequest request = RequestOf(division, part);
    const std::span<const SubGemm> all = request.sub_gemms;
    if (all.size() <= SubGemmsOfLaunch()) return visit(request);
    const std::size_t launches = CeilDiv(all.size(), SubGemmsOfLaunch());
    for (std::size_t i = 0; i < launches; ++i) {
      const std::size_t first = all.size() * i / launches;
      request.first_sub_gemm = first;
      request.sub_gemms = all.subspan(first, all.size() * (i + 1) / launches - first);
      visit(request);
    }
  }

 private:
  std::size_t SubGemmsOfLaunch() const {
    return context_.options().launch_per_sub_gemm ? 1 : kernel_.max_sub_gemms();
  }

  void SetCost(Division& division) const {
    for (Division::Part& part : division.parts) {
      SetEstimate(division, part);
      part.estimate.cost.tensor_cycles =
          canonical_.tensor_cycles / static_cast<double>(division.parts.size());
    }
    Cost& cost = division.cost;
    cost = division.parts[0].estimate.cost;
    cost.pass_cycles += canonical_.pass_cycles;
    cost.launch_cycles = LaunchCycles();
    for (std::size_t i = 1; i < division.parts.size(); ++i) {
      cost = InSequence(cost, division.parts[i].estimate.cost);
    }
    if (division.terms > 1 || (division.sums_only && division.tensors() == 1)) {
      const auto elements = static_cast<double>(canonical_.problem().out_elements());
      cost.pass_cycles += PassCycles(context_.device(), 4.0 * division.terms * elements);
    }
    cost = WithCycles(cost);
  }

  /// Divides into the images that fill whole rounds of the device and the remaining ones, if this
  /// is faster.
  void DivideRounds() {
    const LaunchOptions& options = context_.options();
    const bool is_one = division_.parts.size() == 1 && !division_.sums_only && !division_.adds;
    if (!is_one || options.splits != 0 || options.launch_per_sub_gemm) return;
    // At most the last round is saved.
    const double least = division_.cost.cycles - division_.cost.alone_cycles;
    if (least >= context_.enough_cycles()) return;
    const ConvPart& part = *division_.parts[0].part;
    const std::int64_t images = kernel_.ImagesOfWholeRounds(RequestOf(division_, part.problem));
    if (images <= 0 || images >= part.problem.batch) return;
    Division divided;
    divided.terms = division_.terms;
    for (const ConvPart& cut : context_.FindCut(part, images)) {
      divided.parts.push_back({.part = &cut});
    }
    SetCost(divided);
    if (divided.cost.cycles < division_.cost.cycles) division_ = std::move(divided);
  }

  /// Returns the kernel's request for a part.
  PartRequest RequestOf(const Division& division, const ConvProblem& part) const {
    const bool is_weight = part.direction == Direction::kBackwardWeight;
    const auto sub_gemms = is_weight ? std::span<const SubGemm>() : context_.FindSubGemms(part);
    const bool whole = division.parts.size() == 1 && !context_.options().launch_per_sub_gemm &&
                       sub_gemms.size() <= SubGemmsOfLaunch();
    const int splits = whole ? context_.options().splits : std::max(context_.options().splits, 1);
    const bool is_partial = division.terms > 1 || division.sums_only;
    const bool has_tensors = is_partial || (splits > 1 && kernel_.max_fixup() == 0);
    return {.device = context_.device(),
            .problem = part,
            .sub_gemms = sub_gemms,
            .split_k = {.splits = splits,
                        .partial_elements = has_tensors ? canonical_.problem().out_elements() : 0,
                        .adds = division.adds,
                        .max_fixup = kernel_.max_fixup()},
            .enough_cycles = context_.enough_cycles() - LaunchCycles() - canonical_.pass_cycles,
            .needs = kernel_.code().needs,
            .part_elements = FormOf(kernel_).splits_b() ? PartElements(canonical_.problem()) : 0,
            .merged_groups = canonical_.merged_groups,
            .fits = context_.options().fits};
  }

  /// Estimates all launches of a part.
  void SetEstimate(const Division& division, Division::Part& part) const {
    bool is_first = true;
    VisitLaunches(division, part.part->problem, [&](const PartRequest& request) {
      PartEstimate& sum = part.estimate;
      if (std::exchange(is_first, false)) {
        sum = kernel_.Estimate(request);
        return;
      }
      const PartEstimate launch = kernel_.Estimate(request);
      sum.cost = InSequence(sum.cost, launch.cost);
      sum.fixup_bytes = std::max(sum.fixup_bytes, launch.fixup_bytes);
    });
  }

  /// Appends parts that compute `part`, as terms [`term`, `end`) of its sums. Returns the reason if
  /// that is impossible.
  std::optional<Refusal> AddPart(const ConvPart& part, int term, int& end) {
    // Check every part: the kernel may be unable to merge half of the groups.
    if (auto reason = kernel_.Reject(part.problem, context_.options().splits)) return reason;
    if (part.problem.groups > kMaxWorkgroupsYz) {
      return AddHalves(part,
                       {absl::StrFormat("groups is %d", part.problem.groups), PartAxis::kGroups},
                       term, end);
    }
    if (const auto excess = kernel_.TooLarge(part.problem, context_.options().offset_limit)) {
      const ConvPart trimmed = Trim(part);
      if (trimmed.problem.dims != part.problem.dims) {
        return AddPart(parts_.emplace_back(trimmed), term, end);
      }
      return AddHalves(part, *excess, term, end);
    }
    if (division_.parts.size() == kMaxParts) {
      return Refuse<"the problem takes more than %d launches">(RefusalCode::kSize, kMaxParts);
    }
    division_.parts.push_back({.part = &part, .term = term});
    end = term + 1;
    return std::nullopt;
  }

  std::optional<Refusal> AddHalves(const ConvPart& part, const Excess& excess, int term, int& end) {
    const std::optional<std::vector<ConvPart>> halves = Halve(part, excess.axis);
    if (!halves) return Refusal(RefusalCode::kSize, excess.reason);
    const ConvPart& first = parts_.emplace_back(halves->front());
    const ConvPart& second = parts_.emplace_back(halves->back());
    const bool are_terms = first.out == second.out;
    int first_end = term, second_end = term;
    if (auto reason = AddPart(first, term, first_end)) return reason;
    const int next = are_terms ? first_end : term;
    if (auto reason = AddPart(second, next, second_end)) return reason;
    division_.has_gaps |= !are_terms && first_end != second_end;
    end = std::max(first_end, second_end);
    return std::nullopt;
  }

  double LaunchCycles() const {
    const DeviceFacts& device = context_.device();
    return device.machine.launch_us * 1e3 * device.clock_ghz;
  }

  const PartKernel& kernel_;
  PlanContext& context_;
  const PlanContext::Canonical& canonical_;
  std::list<ConvPart> parts_;  // smaller than the whole
  Division division_;
};

/// Returns the tensors of a part. `b_bytes` and `out_bytes` are the element sizes of `whole.b` and
/// `whole.out`.
TensorOffsets OffsetsOfPart(const ConvPart& part, const TensorOffsets& whole, std::int64_t b_bytes,
                            std::int64_t out_bytes) {
  const std::int64_t bytes = SizeOf(part.problem.type);
  TensorOffsets offsets = whole;
  offsets.a.offset += part.a * bytes;
  offsets.b.offset += part.b * b_bytes;
  offsets.a1.offset += part.a * bytes;
  offsets.b1.offset += part.b * bytes;
  offsets.out.offset += part.out * out_bytes;
  for (std::size_t i = 0; i < 2; ++i) {
    offsets.d[i].offset += part.d[i] * SizeOf(part.problem.epilogue.d[i].type);
  }
  return offsets;
}

/// Returns the position of a part's tensor, or of the table, in memory.
MemoryOffset OffsetOf(Memory memory, const TensorOffsets& offsets, std::int64_t table_at,
                      std::int64_t workspace_at) {
  switch (memory) {
    case Memory::kA:
      return offsets.a;
    case Memory::kB:
      return offsets.b;
    case Memory::kOut:
      return offsets.out;
    case Memory::kD0:
      return offsets.d[0];
    case Memory::kD1:
      return offsets.d[1];
    case Memory::kA1:
      return offsets.a1;
    case Memory::kB1:
      return offsets.b1;
    case Memory::kTable:
      return {Memory::kTable, table_at};
    case Memory::kWorkspace:
      return {Memory::kWorkspace, workspace_at};
  }
  return {memory};
}

/// Where the tables of launches begin in a plan's, by their contents' hash.
using TablesByHash = absl::flat_hash_map<std::size_t, std::size_t>;

/// Returns where `table` is in `all`, to which it is appended if it is not there yet. Parts that
/// differ only in their images have equal tables, which may have megabytes.
std::int64_t AddTable(const std::vector<std::byte>& table, TablesByHash& known,
                      std::vector<std::byte>& all) {
  if (table.empty()) return 0;
  const auto* const chars = reinterpret_cast<const char*>(table.data());
  const std::size_t hash = absl::HashOf(std::string_view(chars, table.size()));
  const auto [it, is_new] = known.try_emplace(hash, all.size());
  const std::size_t at = it->second;
  if (!is_new && table.size() <= all.size() - at &&
      std::memcmp(all.data() + at, table.data(), table.size()) == 0) {
    return static_cast<std::int64_t>(at);
  }
  const std::size_t end = all.size();
  all.resize(end + table.size());
  std::memcpy(all.data() + end, table.data(), table.size());
  return static_cast<std::int64_t>(end);
}

/// Appends a part's launch to `plan`. The part's workspace is at `workspace_at`.
void AddLaunch(PartLaunch launch, const TensorOffsets& offsets, std::int64_t workspace_at,
               TablesByHash& tables, LaunchPlan& plan) {
  const std::int64_t table_at = AddTable(launch.table, tables, plan.table);
  const auto put = [&](MemoryOffset& part) {
    MemoryOffset where = OffsetOf(part.memory, offsets, table_at, workspace_at);
    where.offset += part.offset;
    part = where;
  };
  for (KernelLaunch::Address& address : launch.launch.addresses) put(address.points_to);
  for (KernelLaunch::Map& map : launch.launch.maps) put(map.points_to);
  plan.launches.push_back(std::move(launch.launch));
}

/// Returns the GEMMs of one group, of all parts.
std::vector<GemmShape> ShapesOf(const Division& division, PlanContext& context) {
  std::vector<GemmShape> shapes;
  for (const Division::Part& entry : division.parts) {
    const ConvProblem& problem = entry.part->problem;
    if (problem.direction == Direction::kBackwardWeight) {
      shapes.push_back({.m = problem.k_per_group(),
                        .n = problem.filter_taps() * problem.c_per_group(),
                        .k = problem.batch * problem.out_pixels()});
      continue;
    }
    const bool forward = problem.direction == Direction::kForward;
    const std::int64_t n = forward ? problem.k_per_group() : problem.c_per_group();
    const std::int64_t k = forward ? problem.c_per_group() : problem.k_per_group();
    for (const SubGemm& gemm : context.FindSubGemms(problem)) {
      shapes.push_back({.m = gemm.m, .n = n, .k = Taps(gemm) * k});
    }
  }
  return shapes;
}

}  // namespace

Applicability EstimateInParts(const PartKernel& kernel, PlanContext& context) {
  Divider divider(kernel, context);
  if (auto refusal = divider.Divide()) return *std::move(refusal);
  return divider.division().cost;
}

LaunchPlan LaunchInParts(const PartKernel& kernel, PlanContext& context) {
  Divider divider(kernel, context);
  divider.Divide();
  const Division& division = divider.division();
  LaunchPlan plan;
  plan.splits = division.splits();
  plan.cost = division.cost;
  plan.gemms = ShapesOf(division, context);
  const OperandForm& form = FormOf(kernel);
  LayoutPasses passes(context.problem(), context.device(), form);
  const TensorOffsets offsets = passes.AddBefore(plan);

  const ConvProblem& problem = context.canonical(form).problem();
  const bool partial = division.is_partial();
  const int slots = division.adds ? 1 : division.tensors() * division.terms;
  const std::int64_t slot_bytes = problem.out_elements() * 4;
  TensorOffsets outs = offsets;
  if (partial) outs.out = {Memory::kWorkspace, plan.Reserve(slots * slot_bytes)};
  if (partial && (division.adds || division.has_gaps)) {
    plan.zero_at = outs.out.offset;
    plan.zero_bytes = slots * slot_bytes;
  }
  // Launches use the fix-up workspace one after the other.
  std::int64_t fixup_bytes = 0;
  for (const Division::Part& entry : division.parts) {
    fixup_bytes = std::max(fixup_bytes, entry.estimate.fixup_bytes);
  }
  const std::int64_t fixup_at = fixup_bytes > 0 ? plan.Reserve(fixup_bytes) : 0;
  const std::int64_t out_bytes = partial ? 4 : SizeOf(problem.output_type());
  const std::int64_t b_bytes = SizeOf(form.splits_b() ? kPartType : problem.type);
  TablesByHash tables;
  for (const Division::Part& entry : division.parts) {
    TensorOffsets part_offsets = OffsetsOfPart(*entry.part, outs, b_bytes, out_bytes);
    if (!division.adds) part_offsets.out.offset += entry.term * division.tensors() * slot_bytes;
    divider.VisitLaunches(division, entry.part->problem, [&](PartRequest request) {
      request.split_k.splits = entry.estimate.splits;
      AddLaunch(kernel.MakeLaunch(request), part_offsets, fixup_at, tables, plan);
    });
  }
  if (partial) {
    passes.AddSums(slots, outs.out.offset, offsets, plan);
  }
  passes.AddAfter(offsets, plan);
  return plan;
}

}  // namespace gridwise
