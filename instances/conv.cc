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
#include "instances/tile/bwd_data.h"
#include "instances/tile/bwd_data_code.h"

namespace gridwise {
namespace {

using tile::kBwdDataRows;

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

/// Why no row, or not the row that `options` asks for, computes the problem.
std::string NoRowMessage(const ConvProblem& problem, Gfx gfx,
                         const std::vector<RowVerdict>& verdicts, const PlanOptions& options) {
  std::string message = absl::StrFormat("no row for %s computes %s:", Name(gfx), ToString(problem));
  for (const RowVerdict& verdict : verdicts) {
    if (!options.row.empty() && verdict.row != options.row) continue;
    absl::StrAppend(&message, "\n  ", verdict.row, ": ", verdict.reason.value_or(""));
  }
  return message;
}

/// Index of the accepting row that `options` asks for, or else of the cheapest; -1 if there is
/// none.
int Choose(const std::vector<RowVerdict>& verdicts, const PlanOptions& options) {
  int best = -1;
  for (int i = 0; i < static_cast<int>(verdicts.size()); ++i) {
    if (verdicts[i].reason.has_value()) continue;
    if (!options.row.empty() && verdicts[i].row != options.row) continue;
    if (best < 0 || verdicts[i].cost.cycles < verdicts[best].cost.cycles) best = i;
  }
  return best;
}

absl::Status CheckRowExists(const std::vector<RowVerdict>& verdicts, const std::string& row) {
  if (row.empty()) return absl::OkStatus();
  std::string known;
  for (const RowVerdict& verdict : verdicts) {
    if (verdict.row == row) return absl::OkStatus();
    absl::StrAppend(&known, known.empty() ? "" : ", ", verdict.row);
  }
  return absl::InvalidArgumentError(absl::StrFormat("row is %s; must be one of %s", row, known));
}

}  // namespace

std::vector<RowInfo> ListRows() {
  std::vector<RowInfo> rows;
  for (Gfx gfx : kAllGfx) {
    for (const tile::TileConfig& config : kBwdDataRows) {
      if (Reject(config, gfx) != nullptr) continue;
      rows.push_back(
          {.name = PrintFields(config), .direction = Direction::kBackwardData, .gfx = gfx});
    }
  }
  return rows;
}

std::vector<RowVerdict> ExplainRows(const ConvProblem& problem, Gfx gfx) {
  std::vector<SubGemm> sub_gemms;
  std::vector<RowVerdict> verdicts;
  for (const tile::TileConfig& config : kBwdDataRows) {
    RowVerdict verdict = {.row = PrintFields(config), .reason = std::nullopt, .cost = {}};
    if (const char* reason = Reject(config, gfx)) {
      verdict.reason = reason;
    } else {
      verdict.reason = Reject(config, problem);
    }
    if (!verdict.reason.has_value()) {
      if (sub_gemms.empty()) sub_gemms = BwdDataSubGemms(problem);
      verdict.cost = PlanBwdData(config, gfx, problem, sub_gemms).cost;
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

absl::StatusOr<Plan> MakePlan(const ConvProblem& problem, Gfx gfx, const PlanOptions& options) {
  if (absl::Status status = Validate(problem); !status.ok()) return status;
  const std::vector<RowVerdict> verdicts = ExplainRows(problem, gfx);
  if (absl::Status status = CheckRowExists(verdicts, options.row); !status.ok()) return status;
  const int row = Choose(verdicts, options);
  if (row < 0) return absl::UnimplementedError(NoRowMessage(problem, gfx, verdicts, options));
  Plan plan;
  plan.problem_ = problem;
  plan.gfx_ = gfx;
  plan.row_ = verdicts[row].row;
  plan.row_index_ = row;
  plan.plan_ = PlanBwdData(kBwdDataRows[row], gfx, problem, BwdDataSubGemms(problem));
  return plan;
}

std::vector<GemmShape> Plan::SubGemms() const {
  std::vector<GemmShape> shapes;
  for (const SubGemm& gemm : plan_.table) {
    shapes.push_back(
        {.m = gemm.m, .n = plan_.args.c, .k = std::int64_t{Taps(gemm)} * plan_.args.k});
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
  absl::StatusOr<std::string_view> code = FindCode(BwdDataCode(), plan.gfx(), plan.row_index_);
  if (!code.ok()) return code.status();
  absl::StatusOr<Module> module = Module::Load(*code);
  if (!module.ok()) return module.status();
  absl::StatusOr<hipFunction_t> kernel = module->FindKernel(tile::BwdDataSymbol(plan.row_index_));
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
  tile::BwdDataArgs args = plan_.plan_.args;
  args.dy = tensors.a;
  args.w = tensors.b;
  args.dx = tensors.out;
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
