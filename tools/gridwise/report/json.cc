// SPDX-License-Identifier: MIT
#include "tools/gridwise/report/json.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "core/arch/target.h"
#include "core/conv/problem_io.h"
#include "core/gemm/problem_io.h"
#include "core/launch/launch.h"
#include "core/text/parse_device.h"
#include "llvm/Support/raw_ostream.h"

namespace gridwise {
namespace {

llvm::json::Array PerAxisOf(const ConvProblem& problem, int64_t (*value)(const Dim&)) {
  llvm::json::Array values;
  for (size_t axis = problem.dims.size() - static_cast<size_t>(problem.rank);
       axis < problem.dims.size(); ++axis) {
    values.push_back(value(problem.dims[axis]));
  }
  return values;
}

// No overloads of ToJson: a type without one would convert to Problem, and ToJson(Problem) would
// call itself.
llvm::json::Object ProblemToJson(const ConvProblem& problem) {
  return llvm::json::Object{
      {"text", ToString(problem)},
      {"direction", Name(problem.direction)},
      {"type", Name(problem.type)},
      {"out_type", Name(problem.output_type())},
      {"groups", problem.groups},
      {"n", problem.batch},
      {"c", problem.c},
      {"k", problem.k},
      {"in", PerAxisOf(problem, [](const Dim& dim) { return dim.in; })},
      {"filter", PerAxisOf(problem, [](const Dim& dim) { return dim.filter; })},
      {"stride", PerAxisOf(problem, [](const Dim& dim) { return dim.stride; })},
      {"dilation", PerAxisOf(problem, [](const Dim& dim) { return dim.dilation; })},
      {"pad_begin", PerAxisOf(problem, [](const Dim& dim) { return dim.pad_begin; })},
      {"pad_end", PerAxisOf(problem, [](const Dim& dim) { return dim.pad_end; })},
      {"out", PerAxisOf(problem, [](const Dim& dim) { return dim.out(); })},
      {"layout", Name(problem.layout)},
      {"weight_layout", Name(problem.weight_layout)},
      {"flops", problem.Flops()}};
}

llvm::json::Object ToJson(const MatrixStrides& strides) {
  return llvm::json::Object{
      {"batch", strides.batch}, {"row", strides.row}, {"column", strides.column}};
}

llvm::json::Object ProblemToJson(const GemmProblem& problem) {
  return llvm::json::Object{{"text", ToString(problem)},
                            {"direction", "gemm"},
                            {"type", Name(problem.type)},
                            {"out_type", Name(problem.output_type())},
                            {"batch", problem.batch},
                            {"m", problem.m},
                            {"n", problem.n},
                            {"k", problem.k},
                            {"a", ToJson(problem.a)},
                            {"b", ToJson(problem.b)},
                            {"c", ToJson(problem.c)},
                            {"flops", problem.Flops()}};
}

}  // namespace

llvm::json::Value JsonNumber(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}

llvm::json::Object ToJson(const Problem& problem) {
  return std::visit([](const auto& p) { return ProblemToJson(p); }, problem);
}

llvm::json::Object ToJson(const Cost& cost, double clock_ghz) {
  return llvm::json::Object{{"us", JsonNumber(cost.cycles / clock_ghz * 1e-3)},
                            {"cycles", JsonNumber(cost.cycles)},
                            {"matrix_cycles", JsonNumber(cost.matrix_cycles)},
                            {"lds_cycles", JsonNumber(cost.lds_cycles)},
                            {"memory_cycles", JsonNumber(cost.memory_cycles)},
                            {"alone_cycles", JsonNumber(cost.alone_cycles)},
                            {"fixed_cycles", JsonNumber(cost.fixed_cycles)},
                            {"rounds", JsonNumber(cost.rounds)},
                            {"resident", JsonNumber(cost.resident)},
                            {"pass_cycles", JsonNumber(cost.pass_cycles)},
                            {"power_cycles", JsonNumber(cost.power_cycles)}};
}

llvm::json::Object ToJson(const InstancePlan& plan) {
  return llvm::json::Object{{"target", Name(plan.gfx())},
                            {"device", NameOf(plan.device())},
                            {"calibrated", CalibrationNote(plan.device()).empty()},
                            {"family", plan.family()},
                            {"instance", plan.instance()},
                            {"launches", plan.launches()},
                            {"workgroups", plan.workgroups()},
                            {"splits", plan.splits()},
                            {"sub_gemms", static_cast<int64_t>(plan.SubGemms().size())},
                            {"workspace_bytes", plan.workspace_bytes()},
                            {"estimate", ToJson(plan.cost(), plan.device().clock_ghz)}};
}

llvm::json::Object ToJson(const Outcome& outcome) {
  llvm::json::Object run{{"seconds", outcome.seconds}, {"simulated", outcome.sim.has_value()}};
  if (!outcome.sim) return run;
  llvm::json::Object instructions;
  for (const auto& [name, count] : outcome.sim->instructions) {
    instructions[name] = static_cast<int64_t>(count);
  }
  run["workgroups"] = static_cast<int64_t>(outcome.sim->workgroups);
  run["waves"] = static_cast<int64_t>(outcome.sim->waves);
  run["instructions"] = std::move(instructions);
  run["ports_ms"] = outcome.sim->ports_ms;
  run["ports"] = outcome.sim->ports;
  return run;
}

llvm::json::Object ToJson(const ErrorStats& stats) {
  return llvm::json::Object{{"max_abs", JsonNumber(stats.max_abs)},
                            {"max_ulps", JsonNumber(stats.max_ulps)},
                            {"rel_norm", JsonNumber(stats.rel_norm)},
                            {"of_tolerance", JsonNumber(stats.max_ratio)}};
}

llvm::json::Object ToJson(const Timing& timing) {
  llvm::json::Object object{{"ms", JsonNumber(timing.ms)},
                            {"measured", timing.measured},
                            {"clock_ghz", timing.clock_ghz},
                            {"tflop_per_s", JsonNumber(timing.tflop_per_s())},
                            {"bound_ms", timing.roofline.ms()},
                            {"bound", timing.roofline.bound()},
                            {"of_bound", JsonNumber(timing.of_bound())}};
  if (timing.measured) return object;
  object["calibrated"] = timing.note.empty();
  object["low_ms"] = timing.low_ms;
  object["high_ms"] = timing.high_ms;
  object["burst_ms"] = timing.burst_ms;
  object["burst_ghz"] = timing.burst_ghz;
  object["ports_ms"] = timing.ports_ms;
  object["ports"] = timing.ports;
  object["limiter"] = timing.limiter;
  object["gain"] = timing.gain;
  return object;
}

void PrintJson(llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream writer(stream, /*IndentSize=*/2);
  writer.value(value);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace gridwise
