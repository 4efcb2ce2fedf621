#include "instances/conv.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ck/base/fields_text.h"
#include "ck/conv/problem_io.h"
#include "ck/conv/sub_gemms.h"
#include "ck/conv/validate.h"
#include "ck/runtime/device.h"
#include "ck/runtime/status.h"
#include "instances/tile/bwd_weight_code.h"
#include "instances/tile/gather_code.h"
#include "instances/tile/rows.h"

namespace gridwise {
namespace {

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

/// The rows of a direction, and the embedded kernels of their table.
std::span<const tile::TileConfig> RowsOf(Direction direction) {
  if (direction == Direction::kBackwardWeight) return tile::kBwdWeightRows;
  return tile::kGatherRows;
}
CodeObjects CodeOf(Direction direction) {
  return direction == Direction::kBackwardWeight ? BwdWeightCode() : GatherCode();
}
std::string SymbolOf(Direction direction, int row) {
  return direction == Direction::kBackwardWeight ? tile::BwdWeightSymbol(row)
                                                 : tile::GatherSymbol(row);
}
std::string RowName(Direction direction, int row) {
  return PrintFields(RowsOf(direction)[static_cast<size_t>(row)]);
}

/// Whether a row of the direction's table is for it: forward and backward-data share theirs.
bool IsFor(Direction direction, const tile::TileConfig& row) {
  return direction == Direction::kBackwardWeight || tile::DirectionOf(row) == direction;
}

/// How a row computes a problem, or why it cannot.
using KernelPlan = std::variant<std::string, tile::GatherPlan, tile::BwdWeightPlan>;

/// Plans a problem for the rows of its direction; what they share is computed once.
class RowPlanner {
 public:
  RowPlanner(const ConvProblem& problem, Gfx gfx) : problem_(problem), gfx_(gfx) {}

  KernelPlan PlanFor(const tile::TileConfig& row) {
    if (problem_.direction == Direction::kBackwardWeight) {
      if (auto reason = RejectBwdWeight(row, problem_)) return *std::move(reason);
      return PlanBwdWeight(row, gfx_, problem_);
    }
    if (auto reason = RejectGather(row, problem_)) return *std::move(reason);
    if (sub_gemms_.empty()) sub_gemms_ = MakeSubGemms(problem_);
    return PlanGather(row, gfx_, problem_, sub_gemms_);
  }

 private:
  const ConvProblem& problem_;
  const Gfx gfx_;
  std::vector<SubGemm> sub_gemms_;
};

/// A row of the direction's table, and what it says to a problem.
struct Candidate {
  int index;
  std::optional<std::string> reason;  // why it cannot compute the problem
  Cost cost;                          // if it can
};

/// The rows of the problem's direction and type that are compiled for `gfx`, and what they say to a
/// valid problem.
std::vector<Candidate> AskRows(const ConvProblem& problem, Gfx gfx) {
  RowPlanner planner(problem, gfx);
  std::vector<Candidate> candidates;
  const std::span<const tile::TileConfig> rows = RowsOf(problem.direction);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].type != problem.type || !IsFor(problem.direction, rows[i]) ||
        Reject(rows[i], gfx) != nullptr)
      continue;
    Candidate& candidate = candidates.emplace_back(Candidate{static_cast<int>(i), {}, {}});
    KernelPlan plan = planner.PlanFor(rows[i]);
    if (std::string* reason = std::get_if<std::string>(&plan)) {
      candidate.reason = std::move(*reason);
    } else if (const auto* gather = std::get_if<tile::GatherPlan>(&plan)) {
      candidate.cost = gather->cost;
    } else {
      candidate.cost = std::get<tile::BwdWeightPlan>(plan).cost;
    }
  }
  return candidates;
}

/// Why no row, or not the row that `options` asks for, computes the problem.
std::string NoRowMessage(const ConvProblem& problem, Gfx gfx,
                         const std::vector<Candidate>& candidates, const PlanOptions& options) {
  std::string message = absl::StrFormat("no row for %s computes %s:", Name(gfx), ToString(problem));
  for (const Candidate& candidate : candidates) {
    const std::string name = RowName(problem.direction, candidate.index);
    if (!options.row.empty() && name != options.row) continue;
    absl::StrAppend(&message, "\n  ", name, ": ", candidate.reason.value_or(""));
  }
  return message;
}

/// The accepting row that `options` asks for, or else the cheapest; null if there is none.
const Candidate* Choose(Direction direction, const std::vector<Candidate>& candidates,
                        const PlanOptions& options) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.reason.has_value()) continue;
    if (!options.row.empty() && RowName(direction, candidate.index) != options.row) continue;
    if (best == nullptr || candidate.cost.cycles < best->cost.cycles) best = &candidate;
  }
  return best;
}

absl::Status CheckRowExists(Direction direction, const std::vector<Candidate>& candidates,
                            const std::string& row) {
  if (row.empty()) return absl::OkStatus();
  std::string known;
  for (const Candidate& candidate : candidates) {
    const std::string name = RowName(direction, candidate.index);
    if (name == row) return absl::OkStatus();
    absl::StrAppend(&known, known.empty() ? "" : ", ", name);
  }
  return absl::InvalidArgumentError(absl::StrFormat("row is %s; must be one of %s", row, known));
}

}  // namespace

std::vector<RowInfo> ListRows() {
  std::vector<RowInfo> infos;
  for (const Gfx gfx : kAllGfx) {
    for (const Direction direction : kAllDirections) {
      for (const tile::TileConfig& row : RowsOf(direction)) {
        if (!IsFor(direction, row) || Reject(row, gfx) != nullptr) continue;
        infos.push_back({.name = PrintFields(row), .direction = direction, .gfx = gfx});
      }
    }
  }
  return infos;
}

std::vector<RowVerdict> ExplainRows(const ConvProblem& problem, Gfx gfx) {
  std::vector<RowVerdict> verdicts;
  for (Candidate& candidate : AskRows(problem, gfx)) {
    verdicts.push_back({.row = RowName(problem.direction, candidate.index),
                        .reason = std::move(candidate.reason),
                        .cost = candidate.cost});
  }
  return verdicts;
}

absl::StatusOr<Plan> MakePlan(const ConvProblem& problem, Gfx gfx, const PlanOptions& options) {
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  const std::vector<Candidate> candidates = AskRows(problem, gfx);
  if (absl::Status status = CheckRowExists(problem.direction, candidates, options.row);
      !status.ok())
    return status;
  const Candidate* const chosen = Choose(problem.direction, candidates, options);
  if (chosen == nullptr) {
    return absl::UnimplementedError(NoRowMessage(problem, gfx, candidates, options));
  }
  Plan plan;
  plan.problem_ = problem;
  plan.gfx_ = gfx;
  plan.row_ = RowName(problem.direction, chosen->index);
  plan.row_index_ = chosen->index;
  KernelPlan kernel = RowPlanner(problem, gfx)
                          .PlanFor(RowsOf(problem.direction)[static_cast<size_t>(chosen->index)]);
  if (auto* gather = std::get_if<tile::GatherPlan>(&kernel)) {
    plan.plan_ = std::move(*gather);
  } else {
    plan.plan_ = std::get<tile::BwdWeightPlan>(kernel);
  }
  return plan;
}

const tile::LaunchPlan& Plan::launch() const {
  return std::visit([](const auto& plan) -> const tile::LaunchPlan& { return plan; }, plan_);
}

std::vector<GemmShape> Plan::SubGemms() const {
  if (problem_.direction == Direction::kBackwardWeight) {
    return {{.m = problem_.k_per_group(),
             .n = problem_.filter_taps() * problem_.c_per_group(),
             .k = problem_.batch * problem_.out_cells()}};
  }
  const auto& plan = std::get<tile::GatherPlan>(plan_);
  std::vector<GemmShape> shapes;
  for (const SubGemm& gemm : plan.table) {
    shapes.push_back({.m = gemm.m, .n = plan.args.n, .k = std::int64_t{Taps(gemm)} * plan.args.k});
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
      workgroups(), launch().threads, launches(), workspace_bytes(),
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
  absl::StatusOr<std::string_view> code =
      FindCode(CodeOf(plan.problem().direction), plan.gfx(), plan.row_index_);
  if (!code.ok()) return code.status();
  absl::StatusOr<Module> module = Module::Load(*code);
  if (!module.ok()) return module.status();
  absl::StatusOr<hipFunction_t> kernel =
      module->FindKernel(SymbolOf(plan.problem().direction, plan.row_index_));
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
  const tile::LaunchPlan& launch = plan_.launch();
  const LaunchShape shape = {.workgroups = {launch.workgroups[0], launch.workgroups[1], 1},
                             .threads = {launch.threads, 1, 1}};
  const auto start = [&](const auto& args) {
    return gridwise::Launch(kernel_, shape, std::as_bytes(std::span(&args, 1)), stream);
  };
  if (const auto* weight = std::get_if<tile::BwdWeightPlan>(&plan_.plan_)) {
    tile::BwdWeightArgs args = weight->args;
    args.dy.data = tensors.a;
    args.x.data = tensors.b;
    args.dw = tensors.out;
    return start(args);
  }
  const auto& gather = std::get<tile::GatherPlan>(plan_.plan_);
  tile::GatherArgs args = gather.args;
  args.source = tensors.a;
  args.w = tensors.b;
  args.out = tensors.out;
  if (needed > 0) {
    args.table = static_cast<const SubGemm*>(workspace);
    absl::Status copied =
        ToStatus(hipMemcpyAsync(workspace, gather.table.data(), static_cast<size_t>(needed),
                                hipMemcpyHostToDevice, stream),
                 "copy the table of sub-GEMMs to the workspace");
    if (!copied.ok()) return copied;
  }
  return start(args);
}

}  // namespace gridwise
