// SPDX-License-Identifier: MIT
#include "tools/isa_report/kernel_report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/base/types.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/stream.h"
#include "gridwise/instances.h"
#include "tools/isa_report/kernel_code.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/sim_extension.h"

namespace gridwise {
namespace {

/// Small problems that have full tiles and several steps: an instance's bank conflicts are counted
/// on the first that it accepts.
std::vector<ConvProblem> ProbeProblems(Direction direction) {
  const auto with = [&](Dim dim, std::int64_t groups, std::int64_t c, std::int64_t k) {
    return ConvProblem{.direction = direction,
                       .groups = groups,
                       .batch = 1,
                       .c = c,
                       .k = k,
                       .dims = {Dim{}, dim, dim}};
  };
  const auto problem = [&](std::int64_t groups, std::int64_t c, std::int64_t k,
                           std::int64_t stride = 1) {
    return with({.in = 16, .filter = 3, .stride = stride, .pad_begin = 1, .pad_end = 1}, groups, c,
                k);
  };
  std::vector<ConvProblem> problems = {
      problem(1, 128, 128),  problem(1, 127, 127),          problem(64, 64, 64),
      problem(64, 64, 128),  problem(64, 64, 64, 2),        problem(32, 128, 128),
      problem(16, 128, 128), problem(8, 128, 128),          problem(4, 128, 128),
      problem(1, 4, 128),    with({.in = 16}, 1, 128, 128), with({.in = 32}, 1, 64, 64)};
  for (const std::int64_t groups : {16, 8, 4}) {
    problems.push_back(problem(groups, 128, 128, /*stride=*/2));
  }
  if (direction != Direction::kForward) return problems;
  for (const std::int64_t stride : {1, 2}) {  // a stem
    problems.push_back(
        with({.in = 32, .filter = 7, .stride = stride, .pad_begin = 3, .pad_end = 3}, 1, 3, 64));
  }
  for (const std::int64_t channels : {128, 127}) {
    ConvProblem& sums = problems.emplace_back(problem(1, channels, channels));
    for (OperandSum& sum : sums.operand_sums) sum.adds = true;
  }
  return problems;
}

bool IsOneLaunch(const ConvProblem& problem, Gfx gfx, const std::string& instance) {
  const absl::StatusOr<Plan> plan = MakePlan(problem, gfx, {.instance = instance, .splits = 1});
  return plan.ok() && plan->launches() == 1;
}

/// Runs `instance` on operands of zeros: where conflicts are is a matter of addresses alone.
absl::Status RunInstance(const ConvProblem& problem, Gfx gfx, const std::string& instance) {
  const absl::StatusOr<Plan> plan = MakePlan(problem, gfx, {.instance = instance, .splits = 1});
  if (!plan.ok()) return plan.status();
  const absl::StatusOr<Executable> executable = Executable::Load(*plan);
  if (!executable.ok()) return executable.status();
  std::vector<DeviceBuffer> buffers;
  // 8 bytes an element are enough for any type of operand and output.
  for (const std::int64_t bytes : {8 * problem.a_elements(), 8 * problem.b_elements(),
                                   8 * problem.out_elements(), plan->workspace_bytes()}) {
    absl::StatusOr<DeviceBuffer> buffer = DeviceBuffer::Allocate(bytes);
    if (!buffer.ok()) return buffer.status();
    if (absl::Status status = buffer->Fill(0); !status.ok()) return status;
    buffers.push_back(*std::move(buffer));
  }
  const absl::StatusOr<Stream> stream = Stream::Create();
  if (!stream.ok()) return stream.status();
  absl::Status status = executable->Launch({.a = buffers[0].data(),
                                            .b = buffers[1].data(),
                                            .out = buffers[2].data(),
                                            .a1 = buffers[0].data(),
                                            .b1 = buffers[1].data()},
                                           buffers[3].data(), buffers[3].bytes(), stream->get());
  if (!status.ok()) return status;
  return stream->Synchronize();
}

/// `problem` with a longer K, which takes more steps of the main loop, and the same output. Groups
/// keep their channels, which instances that merge groups want so.
ConvProblem WithLongerK(ConvProblem problem) {
  if (problem.direction == Direction::kBackwardWeight) {
    problem.dims[1].in *= 2;
  } else if (problem.groups == 1) {
    (problem.direction == Direction::kForward ? problem.c : problem.k) *= 2;
  } else {
    Dim& h = problem.dims[1];
    h.filter += 2 * h.stride;
    h.pad_begin += h.stride;
    h.pad_end += h.stride;
  }
  return problem;
}

/// Instructions that a run executed, by class.
using Counts = std::map<std::string, double>;

absl::StatusOr<Counts> CountInstructions(const ConvProblem& problem, Gfx gfx,
                                         const std::string& instance) {
  GridwiseSimRuns runs = {};
  gridwiseSimTakeRuns(&runs);
  if (absl::Status status = RunInstance(problem, gfx, instance); !status.ok()) return status;
  if (gridwiseSimTakeRuns(&runs) != 0) return absl::InternalError("the simulator ran nothing");
  Counts counts;
  for (int c = 0; c < GRIDWISE_SIM_CLASSES; ++c) {
    counts[runs.class_names[c]] = static_cast<double>(runs.instructions[c]);
  }
  return counts;
}

/// Instructions per matrix instruction in the steps that a problem of a longer K than `problem`,
/// which took `counts`, has more: of the main loop, as it was executed. Nothing if they have no
/// matrix instructions, or the instance has all of K at once and takes no longer one.
absl::StatusOr<std::optional<PerMatrix>> MeasurePerMatrix(const ConvProblem& problem, Counts counts,
                                                          Gfx gfx, const std::string& instance) {
  if (counts["mma"] == 0) return std::nullopt;
  // K of groups of few channels may be within a step even when it is longer.
  ConvProblem longer = problem;
  for (int tries = 0; tries < 4; ++tries) {
    longer = WithLongerK(longer);
    if (!MakePlan(longer, gfx, {.instance = instance, .splits = 1}).ok()) continue;
    absl::StatusOr<Counts> more = CountInstructions(longer, gfx, instance);
    if (!more.ok()) return more.status();
    const auto added = [&](const char* kind) { return (*more)[kind] - counts[kind]; };
    const double matrix = added("mma");
    if (matrix <= 0) continue;
    return PerMatrix{.valu = added("valu") / matrix,
                     .salu = added("salu") / matrix,
                     .scalar_loads = added("smem") / matrix,
                     .branches = added("branch") / matrix};
  }
  return std::nullopt;
}

/// Conflict cycles of one execution, by the address of the instruction.
using Conflicts = std::map<std::uint64_t, double>;

Conflicts CountedConflicts(const std::string& kernel) {
  Conflicts conflicts;
  GridwiseSimBankConflicts found = {};
  for (int i = 0; gridwiseSimBankConflictsAt(i, &found) == 0; ++i) {
    if (kernel != found.kernel) continue;
    conflicts[found.pc] = static_cast<double>(found.cycles) / static_cast<double>(found.executions);
  }
  return conflicts;
}

/// What a run tells of an instance.
struct Measured {
  Conflicts conflicts;
  std::optional<PerMatrix> per_matrix;
};

/// Runs `instance`, whose kernels `symbols` names, on `problem` and on ones of a longer K.
absl::StatusOr<Measured> Measure(const ConvProblem& problem, Gfx gfx, const std::string& instance,
                                 const std::map<std::string, std::string>& symbols) {
  Measured measured;
  gridwiseSimCountBankConflicts(1);
  absl::StatusOr<Counts> counts = CountInstructions(problem, gfx, instance);
  const auto symbol = symbols.find(instance);
  if (symbol != symbols.end()) measured.conflicts = CountedConflicts(symbol->second);
  gridwiseSimCountBankConflicts(0);
  if (!counts.ok()) return counts.status();
  if (problem.c <= 8) return measured;  // K of few channels is of few steps
  const auto per_matrix = MeasurePerMatrix(problem, *std::move(counts), gfx, instance);
  if (!per_matrix.ok()) return per_matrix.status();
  measured.per_matrix = *per_matrix;
  return measured;
}

/// The measurements of every instance that accepts a probe problem, by its name.
absl::StatusOr<std::map<std::string, Measured>> MeasureInstances(
    Direction direction, Gfx gfx, const std::map<std::string, std::string>& symbols) {
  if (gridwiseSimCountBankConflicts == nullptr) {
    return absl::FailedPreconditionError(
        "the HIP library is not the simulator, which counts bank conflicts");
  }
  const absl::StatusOr<DeviceInfo> device = FindDevice(Name(gfx));
  if (!device.ok()) return device.status();
  if (absl::Status status = UseDevice(*device); !status.ok()) return status;
  std::map<std::string, Measured> result;
  for (ConvProblem problem : ProbeProblems(direction)) {
    for (const DataType type : kAllDataTypes) {
      if (problem.sums_operands() && SizeOf(type) == 1) continue;
      problem.type = type;
      for (const InstanceExplanation& explanation : ExplainInstances(problem, gfx)) {
        if (explanation.reason || result.contains(explanation.instance)) continue;
        if (!IsOneLaunch(problem, gfx, explanation.instance))
          continue;  // others would count as the instance's
        absl::StatusOr<Measured> measured = Measure(problem, gfx, explanation.instance, symbols);
        if (!measured.ok()) {
          return absl::Status(measured.status().code(), absl::StrCat(explanation.instance, ": ",
                                                                     measured.status().message()));
        }
        result[explanation.instance] = *std::move(measured);
      }
    }
  }
  return result;
}

absl::StatusOr<KernelReport> ReportKernel(const std::string& instance,
                                          const sim::KernelInfo& kernel, Gfx gfx,
                                          const Measured* measured) {
  KernelReport report = {.instance = instance,
                         .vgprs = kernel.vgprs,
                         .agprs = kernel.agprs,
                         .sgprs = kernel.sgprs,
                         .scratch = static_cast<int>(kernel.private_bytes),
                         .vgpr_spills = kernel.vgpr_spills,
                         .sgpr_spills = kernel.sgpr_spills,
                         .lds = static_cast<int>(kernel.static_lds_bytes),
                         .loop = {},
                         .conflicts = {},
                         .per_matrix = {}};
  const absl::StatusOr<std::vector<CodeLine>> lines = Disassemble(kernel, gfx);
  if (!lines.ok()) return lines.status();
  report.loop = FindMainLoop(*lines);
  if (measured == nullptr || !report.loop) return report;
  report.per_matrix = measured->per_matrix;
  report.conflicts = 0;
  for (const auto& [pc, cycles] : measured->conflicts) {
    if (pc >= report.loop->begin && pc < report.loop->end) *report.conflicts += cycles;
  }
  return report;
}

}  // namespace

absl::StatusOr<std::vector<KernelReport>> ReportInstances(Direction direction, Gfx gfx) {
  std::vector<InstanceInfo> instances;
  std::map<std::string, std::string> symbols;
  for (InstanceInfo& instance : ListInstances()) {
    if (instance.direction != direction || instance.gfx != gfx) continue;
    if (instance.code.object.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("this program was built without kernels for ", Name(gfx)));
    }
    symbols[instance.name] = instance.code.symbol;
    instances.push_back(std::move(instance));
  }
  const absl::StatusOr<std::map<std::string, Measured>> measured =
      MeasureInstances(direction, gfx, symbols);
  if (!measured.ok()) return measured.status();
  KernelCodes codes;
  std::vector<KernelReport> reports;
  for (const InstanceInfo& instance : instances) {
    const absl::StatusOr<const sim::KernelInfo*> kernel = codes.Find(instance);
    if (!kernel.ok()) return kernel.status();
    const auto found = measured->find(instance.name);
    absl::StatusOr<KernelReport> report = ReportKernel(
        instance.name, **kernel, gfx, found == measured->end() ? nullptr : &found->second);
    if (!report.ok()) return report.status();
    reports.push_back(*std::move(report));
  }
  return reports;
}

std::string ToText(std::span<const KernelReport> reports) {
  size_t width = 3;
  for (const KernelReport& report : reports) width = std::max(width, report.instance.size());
  constexpr const char* kTitles =
      " vgprs agprs sgprs scratch vspills sspills    lds | loop: matrix  fma valu salu  lds vmem  "
      "conflicts | per matrix: valu   salu  smem branch\n";
  std::string text = absl::StrFormat("%-*s%s", width, "instance", kTitles);
  for (const KernelReport& report : reports) {
    absl::StrAppendFormat(&text, "%-*s %5d %5d %5d %7d %7d %7d %6d |", width, report.instance,
                          report.vgprs, report.agprs, report.sgprs, report.scratch,
                          report.vgpr_spills, report.sgpr_spills, report.lds);
    if (!report.loop) {
      absl::StrAppend(&text, " none\n");
      continue;
    }
    const MainLoop& loop = *report.loop;
    absl::StrAppendFormat(&text, "       %6d %4d %4d %4d %4d %4d  %9s |", loop.matrix, loop.fma,
                          loop.valu, loop.salu, loop.lds, loop.vmem,
                          report.conflicts ? absl::StrFormat("%.2f", *report.conflicts) : "-");
    if (!report.per_matrix) {
      absl::StrAppend(&text, " -\n");
      continue;
    }
    const PerMatrix& per_matrix = *report.per_matrix;
    absl::StrAppendFormat(&text, "            %5.2f %6.2f %5.2f %6.2f\n", per_matrix.valu,
                          per_matrix.salu, per_matrix.scalar_loads, per_matrix.branches);
  }
  return text;
}

}  // namespace gridwise
