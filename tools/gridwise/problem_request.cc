#include "tools/gridwise/problem_request.h"

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ck/conv/problem_io.h"
#include "tools/gridwise/problem_sets.h"

namespace gridwise {
namespace {

absl::StatusOr<Gfx> ParseTarget(const std::string& name) {
  if (const std::optional<Gfx> gfx = ParseGfx(name)) return *gfx;
  return absl::InvalidArgumentError(absl::StrCat(
      "--device is '", name, "'; must be one of ",
      absl::StrJoin(kAllGfx, ", ", [](std::string* out, Gfx gfx) { out->append(Name(gfx)); })));
}

absl::StatusOr<Direction> ParseSupportedDirection(const std::string& name) {
  const std::optional<Direction> direction = ParseDirection(name);
  if (direction == Direction::kBackwardData) return *direction;
  return absl::InvalidArgumentError(
      absl::StrCat("the direction is '", name, "'; must be bwd_data",
                   direction ? ", the only one with kernels so far" : ""));
}

absl::StatusOr<ConvProblem> FromName(const ProblemRequest& request, Direction direction) {
  const absl::StatusOr<std::vector<ProblemSet>> sets =
      LoadProblemSets(request.problems, request.program);
  if (!sets.ok()) return sets.status();
  const absl::StatusOr<NamedProblem> named = FindProblem(*sets, request.problem);
  if (!named.ok()) return named.status();
  return BuildProblem(direction, named->problem, request.sizes);
}

absl::StatusOr<ConvProblem> FromSizes(const ProblemRequest& request, Direction direction,
                                      absl::Span<const int64_t> dy_shape,
                                      absl::Span<const int64_t> w_shape) {
  if (dy_shape.empty() && w_shape.empty())
    return BuildProblem(direction, std::nullopt, request.sizes);
  const absl::StatusOr<ProblemFlags> sizes = CompleteFromShapes(request.sizes, dy_shape, w_shape);
  if (!sizes.ok()) return sizes.status();
  return BuildProblem(direction, std::nullopt, *sizes);
}

}  // namespace

absl::StatusOr<ResolvedProblem> Resolve(const ProblemRequest& request,
                                        absl::Span<const int64_t> dy_shape,
                                        absl::Span<const int64_t> w_shape) {
  const absl::StatusOr<Direction> direction = ParseSupportedDirection(request.direction);
  if (!direction.ok()) return direction.status();
  const absl::StatusOr<Gfx> gfx = ParseTarget(request.device);
  if (!gfx.ok()) return gfx.status();
  const absl::StatusOr<ConvProblem> problem =
      request.problem.empty() ? FromSizes(request, *direction, dy_shape, w_shape)
                              : FromName(request, *direction);
  if (!problem.ok()) return problem.status();
  return ResolvedProblem{*problem, *gfx};
}

}  // namespace gridwise
