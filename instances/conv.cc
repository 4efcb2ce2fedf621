#include "instances/conv.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ck/base/fields_text.h"
#include "ck/conv/problem_io.h"
#include "ck/conv/sub_gemms.h"
#include "ck/conv/validate.h"
#include "ck/runtime/device.h"
#include "ck/runtime/status.h"
#include "instances/tile/gather.h"
#include "instances/tile/gather_code.h"

namespace gridwise {
namespace {

using tile::kGatherRows;

/// The code object that holds row `index` for `gfx`: shards take rows in turn.
absl::StatusOr<std::string_view> FindCode(CodeObjects objects, Gfx gfx, int index) {
  std::vector<std::string_view> shards;
  for (const CodeObject& object : objects) {
    if (object.gfx == Name(gfx)) shards.push_back(object.data);
  }
  if (shards.empty()) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "this program was built without kernels for %s; build it with --//tools/config:targets=%s",
        Name(gfx), Name(gfx)));
  }
  return shards[index % shards.size()];
}

/// Row `index` of the table and what it says to a problem.
struct Candidate {
  int index;
  std::optional<std::string> reason;  // why it cannot compute the problem
  Cost cost;                          // if it can
};

std::string RowName(int index) { return PrintFields(kGatherRows[static_cast<size_t>(index)]); }

/// The rows that are compiled for `gfx`, and what they say to a valid problem.
std::vector<Candidate> AskRows(const ConvProblem& problem, Gfx gfx) {
  std::vector<SubGemm> sub_gemms;
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < kGatherRows.size(); ++i) {
    const tile::TileConfig& config = kGatherRows[i];
    if (Reject(config, gfx) != nullptr) continue;
    Candidate& candidate =
        candidates.emplace_back(Candidate{static_cast<int>(i), Reject(config, problem), {}});
    if (candidate.reason.has_value()) continue;
    if (sub_gemms.empty()) sub_gemms = MakeSubGemms(problem);
    candidate.cost = PlanGather(config, gfx, problem, sub_gemms).cost;
  }
  return candidates;
}

/// Why no row, or not the row that `options` asks for, computes the problem.
std::string NoRowMessage(const ConvProblem& problem, Gfx gfx,
                         const std::vector<Candidate>& candidates, const PlanOptions& options) {
  std::string message = absl::StrFormat("no row for %s computes %s:", Name(gfx), ToString(problem));
  for (const Candidate& candidate : candidates) {
    const std::string name = RowName(candidate.index);
    if (!options.row.empty() && name != options.row) continue;
    absl::StrAppend(&message, "\n  ", name, ": ", candidate.reason.value_or(""));
  }
  return message;
}

/// The accepting row that `options` asks for, or else the cheapest; null if there is none.
const Candidate* Choose(const std::vector<Candidate>& candidates, const PlanOptions& options) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.reason.has_value()) continue;
    if (!options.row.empty() && RowName(candidate.index) != options.row) continue;
    if (best == nullptr || candidate.cost.cycles < best->cost.cycles) best = &candidate;
  }
  return best;
}

absl::Status CheckRowExists(const std::vector<Candidate>& candidates, const std::string& row) {
  if (row.empty()) return absl::OkStatus();
  std::string known;
  for (const Candidate& candidate : candidates) {
    const std::string name = RowName(candidate.index);
    if (name == row) return absl::OkStatus();
    absl::StrAppend(&known, known.empty() ? "" : ", ", name);
  }
  return absl::InvalidArgumentError(absl::StrFormat("row is %s; must be one of %s", row, known));
}

}  // namespace

std::vector<RowInfo> ListRows() {
  std::vector<RowInfo> rows;
  for (const Gfx gfx : kAllGfx) {
    for (size_t i = 0; i < kGatherRows.size(); ++i) {
      if (Reject(kGatherRows[i], gfx) != nullptr) continue;
      rows.push_back({.name = RowName(static_cast<int>(i)),
                      .direction = DirectionOf(kGatherRows[i]),
                      .gfx = gfx});
    }
  }
  return rows;
}

std::vector<RowVerdict> ExplainRows(const ConvProblem& problem, Gfx gfx) {
  std::vector<RowVerdict> verdicts;
  for (Candidate& candidate : AskRows(problem, gfx)) {
    const tile::TileConfig& config = kGatherRows[static_cast<size_t>(candidate.index)];
    if (DirectionOf(config) != problem.direction || config.type != problem.type) continue;
    verdicts.push_back({.row = RowName(candidate.index),
                        .reason = std::move(candidate.reason),
                        .cost = candidate.cost});
  }
  return verdicts;
}

absl::StatusOr<Plan> MakePlan(const ConvProblem& problem, Gfx gfx, const PlanOptions& options) {
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  const std::vector<Candidate> candidates = AskRows(problem, gfx);
  if (absl::Status status = CheckRowExists(candidates, options.row); !status.ok()) return status;
  const Candidate* const chosen = Choose(candidates, options);
  if (chosen == nullptr) {
    return absl::UnimplementedError(NoRowMessage(problem, gfx, candidates, options));
  }
  Plan plan;
  plan.problem_ = problem;
  plan.gfx_ = gfx;
  plan.row_ = RowName(chosen->index);
  plan.row_index_ = chosen->index;
  plan.plan_ = PlanGather(kGatherRows[static_cast<size_t>(chosen->index)], gfx, problem,
                          MakeSubGemms(problem));
  return plan;
}

std::vector<GemmShape> Plan::SubGemms() const {
  std::vector<GemmShape> shapes;
  for (const SubGemm& gemm : plan_.table) {
    shapes.push_back(
        {.m = gemm.m, .n = plan_.args.n, .k = std::int64_t{Taps(gemm)} * plan_.args.k});
  }
  return shapes;
}

std::string Plan::ToString() const {
  const std::vector<GemmShape> shapes = SubGemms();
  std::string text =
      absl::StrFormat("row        %s\nsub-GEMMs  %d per group\n", row_, shapes.size());
  std::vector<std::pair<GemmShape, int>> counted;  // in the order of the first of each shape
  for (const GemmShape& shape : shapes) {
    const auto same = std::find_if(counted.begin(), counted.end(),
                                   [&](const auto& entry) { return entry.first == shape; });
    if (same == counted.end()) {
      counted.emplace_back(shape, 1);
    } else {
      ++same->second;
    }
  }
  for (const auto& [shape, count] : counted) {
    absl::StrAppendFormat(&text, "           %d x (M %d, N %d, K %d)%s\n", count, shape.m, shape.n,
                          shape.k,
                          shape.k == 0 ? ": no tap reaches these cells, written as zero" : "");
  }
  absl::StrAppendFormat(
      &text, "workgroups %d of %d threads, in %d launch\nworkspace  %d bytes\nestimate   %s\n",
      workgroups(), plan_.threads, launches(), workspace_bytes(),
      cost().ToString(TraitsOf(gfx_).clock_ghz));
  return text;
}

absl::StatusOr<Executable> Executable::Load(const Plan& plan) {
  absl::StatusOr<DeviceInfo> device = CurrentDevice();
  if (!device.ok()) return device.status();
  if (device->target != Name(plan.gfx())) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the plan is for %s, and the current device %s is %s", Name(plan.gfx()),
                        device->name, device->target));
  }
  absl::StatusOr<std::string_view> code = FindCode(GatherCode(), plan.gfx(), plan.row_index_);
  if (!code.ok()) return code.status();
  absl::StatusOr<Module> module = Module::Load(*code);
  if (!module.ok()) return module.status();
  absl::StatusOr<hipFunction_t> kernel = module->FindKernel(tile::GatherSymbol(plan.row_index_));
  if (!kernel.ok()) return kernel.status();
  return Executable(plan, *std::move(module), *kernel);
}

absl::Status Executable::Launch(const ConvTensors& tensors, void* workspace,
                                std::int64_t workspace_bytes, hipStream_t stream) const {
  if (tensors.a == nullptr || tensors.b == nullptr || tensors.out == nullptr) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "tensor %s is null; a, b and out must be device memory", tensors.a == nullptr   ? "a"
                                                                 : tensors.b == nullptr ? "b"
                                                                                        : "out"));
  }
  const std::int64_t needed = plan_.workspace_bytes();
  if (needed > 0 && (workspace == nullptr || workspace_bytes < needed)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("workspace is %d bytes at %p; the plan needs %d bytes", workspace_bytes,
                        workspace, needed));
  }
  tile::GatherArgs args = plan_.plan_.args;
  args.source = tensors.a;
  args.w = tensors.b;
  args.out = tensors.out;
  if (needed > 0) {
    args.table = static_cast<const SubGemm*>(workspace);
    absl::Status copied = ToStatus(
        hipMemcpyAsync(workspace, plan_.plan_.table.data(), needed, hipMemcpyHostToDevice, stream),
        "copy the table of sub-GEMMs to the workspace");
    if (!copied.ok()) return copied;
  }
  const LaunchShape shape = {
      .workgroups = {plan_.plan_.workgroups[0], plan_.plan_.workgroups[1], 1},
      .threads = {plan_.plan_.threads, 1, 1}};
  return gridwise::Launch(kernel_, shape, std::as_bytes(std::span(&args, 1)), stream);
}

}  // namespace gridwise
