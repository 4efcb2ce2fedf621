// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/problem_request.h"

#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/parse_type.h"
#include "core/conv/problem_io.h"
#include "core/text/parse_device.h"
#include "tools/gridwise/problem/problem_sets.h"

namespace gridwise {
namespace {

// Instead of a direction.
constexpr char kGemmWord[] = "gemm", kTransposedWord[] = "conv_transpose";

/// Types that operands may have in some direction.
bool IsOperandType(DataType type) { return type != DataType::kI32; }

/// "f8" and "bf8" are the target's variants, or OCP's if the target has none.
absl::StatusOr<DataType> ParseType(const char* flag, const std::string& name, Gfx gfx,
                                   bool (*allows)(DataType)) {
  if (const std::optional<DataType> type = ParseDataType(name); type && allows(*type)) return *type;
  const bool fnuz = HasType(gfx, DataType::kF8E4M3Fnuz);
  if (name == "f8") return fnuz ? DataType::kF8E4M3Fnuz : DataType::kF8E4M3;
  if (name == "bf8") return fnuz ? DataType::kF8E5M2Fnuz : DataType::kF8E5M2;
  std::vector<std::string> names;
  for (const DataType type : kAllDataTypes) {
    if (allows(type)) names.push_back(Name(type));
  }
  return absl::InvalidArgumentError(absl::StrCat("--", flag, " is '", name, "'; must be one of ",
                                                 absl::StrJoin(names, ", "), ", f8 or bf8"));
}

/// The direction that a request names; without one, the only one of `problem`.
absl::StatusOr<Direction> ResolveDirection(const ProblemRequest& request,
                                           const NamedProblem& problem) {
  if (!request.direction.empty()) return ParseDirectionWord(request.direction);
  if (problem.directions.size() == 1) return problem.directions.front();
  return absl::InvalidArgumentError(absl::StrCat(
      "the problem is one of ", problem.directions.size(), " directions, ",
      absl::StrJoin(problem.directions, ", ",
                    [](std::string* out, Direction direction) { out->append(Name(direction)); }),
      "; name one, as in `gridwise run fwd`"));
}

absl::StatusOr<ConvProblem> FromName(const ProblemRequest& request) {
  const absl::StatusOr<std::vector<ProblemSet>> sets =
      LoadProblemSets(request.problems, request.program);
  if (!sets.ok()) return sets.status();
  const absl::StatusOr<NamedProblem> named =
      FindOrReadProblem(*sets, request.problem, request.program);
  if (!named.ok()) return named.status();
  const absl::StatusOr<Direction> direction = ResolveDirection(request, *named);
  if (!direction.ok()) return direction.status();
  return BuildProblem(*direction, named->problem, request.sizes);
}

absl::StatusOr<ConvProblem> FromSizes(const ProblemRequest& request, Direction direction,
                                      OperandShapes shapes) {
  if (shapes.x.empty() && shapes.w.empty() && shapes.dy.empty())
    return BuildProblem(direction, std::nullopt, request.sizes);
  ConvProblem layouts;
  if (absl::Status status = ApplyLayouts(request.variant, layouts); !status.ok()) return status;
  shapes.layout = layouts.layout;
  shapes.weight_layout = layouts.weight_layout;
  const absl::StatusOr<ProblemFlags> sizes = CompleteFromShapes(request.sizes, std::move(shapes));
  if (!sizes.ok()) return sizes.status();
  return BuildProblem(direction, std::nullopt, *sizes);
}

absl::StatusOr<GemmProblem> ResolveGemm(const ProblemRequest& request) {
  GemmFlags flags = request.gemm;
  flags.n = request.sizes.n;
  flags.k = request.sizes.k;
  if (request.problem.empty()) return BuildGemm(std::nullopt, flags);
  const absl::StatusOr<std::vector<ProblemSet>> sets =
      LoadProblemSets(request.problems, request.program);
  if (!sets.ok()) return sets.status();
  const absl::StatusOr<NamedGemm> named = FindGemm(*sets, request.problem);
  if (!named.ok()) return named.status();
  return BuildGemm(named->problem, flags);
}

absl::StatusOr<ConvProblem> ResolveTransposed(const ProblemRequest& request) {
  if (!request.problem.empty()) {
    return absl::InvalidArgumentError(
        "conv_transpose takes sizes; problems of sets are written with bwd_data");
  }
  return BuildTransposed(request.sizes);
}

}  // namespace

absl::StatusOr<Gfx> ParseTarget(const std::string& name) {
  const absl::StatusOr<DeviceFacts> device = ParseDevice(name);
  if (!device.ok()) return device.status();
  return device->gfx;
}

absl::StatusOr<Direction> ParseDirectionWord(const std::string& name) {
  if (const std::optional<Direction> direction = ParseDirection(name)) return *direction;
  return absl::InvalidArgumentError(absl::StrCat(
      "the direction is '", name, "'; must be one of ",
      absl::StrJoin(kAllDirections, ", ",
                    [](std::string* out, Direction direction) { out->append(Name(direction)); }),
      ", gemm"));
}

absl::StatusOr<RequestedTarget> ResolveTarget(const ProblemRequest& request) {
  RequestedTarget target = {};
  target.gemms = request.direction.empty() || request.direction == kGemmWord;
  if (request.direction.empty()) {
    target.directions.assign(std::begin(kAllDirections), std::end(kAllDirections));
  } else if (request.direction != kGemmWord) {
    const absl::StatusOr<Direction> direction = ParseDirectionWord(request.direction);
    if (!direction.ok()) return direction.status();
    target.directions = {*direction};
  }
  const absl::StatusOr<DeviceFacts> device = ParseDevice(request.device);
  if (!device.ok()) return device.status();
  if (!request.type.empty()) {
    const absl::StatusOr<DataType> type =
        ParseType("type", request.type, device->gfx, IsOperandType);
    if (!type.ok()) return type.status();
    target.type = *type;
  }
  if (!request.out_type.empty()) {
    const absl::StatusOr<DataType> out_type =
        ParseType("out-type", request.out_type, device->gfx, [](DataType) { return true; });
    if (!out_type.ok()) return out_type.status();
    target.out_type = *out_type;
  }
  target.device = *device;
  return target;
}

absl::StatusOr<ResolvedProblem> Resolve(const ProblemRequest& request,
                                        const OperandShapes& shapes) {
  ProblemRequest computed = request;
  if (request.direction == kTransposedWord) computed.direction = Name(Direction::kBackwardData);
  const absl::StatusOr<RequestedTarget> target = ResolveTarget(computed);
  if (!target.ok()) return target.status();
  const auto finish = [&](auto problem) -> absl::StatusOr<ResolvedProblem> {
    if (!problem.ok()) return problem.status();
    target->SetTypes(*problem);
    if (absl::Status status = ApplyVariant(request.variant, *problem); !status.ok()) return status;
    return ResolvedProblem{*problem, target->device};
  };
  if (request.direction == kGemmWord) return finish(ResolveGemm(request));
  if (request.direction == kTransposedWord) return finish(ResolveTransposed(request));
  if (!request.problem.empty()) return finish(FromName(request));
  const absl::StatusOr<Direction> direction = ParseDirectionWord(request.direction);
  if (!direction.ok()) return direction.status();
  return finish(FromSizes(request, *direction, shapes));
}

}  // namespace gridwise
