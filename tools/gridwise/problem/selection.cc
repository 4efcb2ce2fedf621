// SPDX-License-Identifier: MIT
#include "tools/gridwise/problem/selection.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "core/conv/problem_io.h"
#include "core/gemm/problem_io.h"
#include "tools/gridwise/problem/gemm_flags.h"
#include "tools/gridwise/problem/problem_flags.h"
#include "tools/gridwise/problem/problem_sets.h"
#include "tools/gridwise/problem/variant_flags.h"

namespace gridwise {
namespace {

/// Returns whether the flags describe matrices. --a and --b of `compare` do not.
bool GivesMatrices(const GemmFlags& flags) {
  const auto is_order = [](const std::string& text) {
    return !text.empty() && text.find('=') == text.npos;
  };
  return flags.m || flags.batch || is_order(flags.a) || is_order(flags.b) || is_order(flags.c);
}

bool GivesMoreThanBatch(ProblemFlags sizes) {
  sizes.n.reset();
  return sizes.Any();
}

/// Returns whether the problem is defined by the sizes.
bool IsGiven(const ProblemRequest& request) {
  return request.problems.empty() &&
         (request.problem.empty() || request.problem == kGivenProblem) &&
         (GivesMatrices(request.gemm) || GivesMoreThanBatch(request.sizes));
}

class Selector {
 public:
  Selector(const ProblemRequest& request, const RequestedTarget& target, double max_flops)
      : request_(request), target_(target), max_flops_(max_flops) {}

  absl::Status Add(const NamedProblem& named, int index, Direction direction) {
    const bool is_named = std::find(named.directions.begin(), named.directions.end(), direction) !=
                          named.directions.end();
    const bool is_trained =
        request_.training && (index > 0 || direction == Direction::kBackwardWeight);
    if (!is_named && !is_trained) return absl::OkStatus();
    ConvProblem problem = named.problem;
    problem.direction = direction;
    problem.batch = request_.sizes.n.value_or(problem.batch);
    if (GivesMoreThanBatch(request_.sizes) && IsWanted(named.name)) {
      const absl::StatusOr<ConvProblem> built =
          BuildProblem(direction, named.problem, request_.sizes);
      if (!built.ok()) return built.status();
      problem = *built;
    }
    return AddProblem(named.name, index, problem, named.count);
  }
  absl::Status Add(const NamedGemm& named, int index) {
    if (request_.sizes.Any()) {
      return absl::InvalidArgumentError(
          request_.sizes.n ? "--n applies only to convolutions; the set has gemms"
                           : "the sizes apply only to convolutions; the set has gemms");
    }
    return AddProblem(named.name, index, named.problem);
  }
  /// Adds the problem of the request's sizes.
  absl::Status AddGiven(const std::string& direction) {
    ProblemRequest request = request_;
    request.problem.clear();
    request.direction = direction;
    const absl::StatusOr<ResolvedProblem> resolved = Resolve(request);
    if (resolved.ok()) Keep({kGivenProblem, resolved->problem});
    return resolved.status();
  }

  Selection selection;

 private:
  bool IsWanted(const std::string& name) const {
    return request_.problem.empty() || name == request_.problem;
  }

  template <class P>
  absl::Status AddProblem(const std::string& name, int index, P problem, int64_t count = 1) {
    if (!IsWanted(name)) return absl::OkStatus();
    target_.SetTypes(problem);
    absl::Status status = ApplyVariant(request_.variant, problem);
    if (!status.ok()) return status;
    Keep({name, problem, index, count});
    return absl::OkStatus();
  }

  void Keep(const SelectedProblem& selected) {
    if (max_flops_ > 0 && Flops(selected.problem) > max_flops_) {
      ++selection.too_large;
    } else {
      selection.problems.push_back(selected);
    }
  }

  const ProblemRequest& request_;
  const RequestedTarget& target_;
  const double max_flops_;
};

/// Returns an error unless a set has the problem that the request names, or that is the line of
/// another program. Adds the latter as a set.
absl::Status FindRequested(const ProblemRequest& request, std::vector<ProblemSet>& sets) {
  const std::string& name = request.problem;
  if (name.empty() || FindGemm(sets, name).ok() || FindProblem(sets, name).ok()) {
    return absl::OkStatus();
  }
  const absl::StatusOr<NamedProblem> line = FindOrReadProblem(sets, name, request.program);
  if (line.ok()) sets = {{.name = "--problem", .problems = {*line}}};
  return line.status();
}

/// Adds the problems of the sets, one direction after the other.
absl::Status AddSets(const ProblemRequest& request, const RequestedTarget& target,
                     std::vector<ProblemSet> sets, Selector& selector) {
  if (GivesMatrices(request.gemm)) {
    return absl::InvalidArgumentError(
        "--m, --batch, --a, --b and --out-order do not apply to the problems of a set");
  }
  if (absl::Status status = FindRequested(request, sets); !status.ok()) return status;
  for (const Direction direction : target.directions) {
    int index = 0;
    for (const ProblemSet& set : sets) {
      for (const NamedProblem& named : set.problems) {
        if (absl::Status s = selector.Add(named, index++, direction); !s.ok()) return s;
      }
    }
  }
  // All sets together also contain matrix multiplications, for which n has another meaning.
  if (!target.gemms || (request.direction.empty() && request.sizes.Any())) return absl::OkStatus();
  int index = 0;
  for (const ProblemSet& set : sets) {
    for (const NamedGemm& named : set.gemms) {
      if (absl::Status s = selector.Add(named, index++); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

/// Adds the problem of the request's sizes, in its directions.
absl::Status AddGiven(const ProblemRequest& request, const RequestedTarget& target,
                      Selector& selector) {
  if (target.gemms && !request.direction.empty()) return selector.AddGiven(request.direction);
  if (GivesMatrices(request.gemm)) {
    return absl::InvalidArgumentError("sizes of matrices need --direction=gemm");
  }
  for (const Direction direction : target.directions) {
    if (absl::Status s = selector.AddGiven(Name(direction)); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Selection> SelectProblems(const ProblemRequest& request,
                                         const RequestedTarget& target, double max_flops) {
  Selector selector(request, target, max_flops);
  if (IsGiven(request)) {
    if (absl::Status s = AddGiven(request, target, selector); !s.ok()) return s;
  } else {
    absl::StatusOr<std::vector<ProblemSet>> sets =
        LoadProblemSets(request.problems, request.program);
    if (!sets.ok()) return sets.status();
    for (const ProblemSet& set : *sets) {
      for (const std::string& line : set.report) std::fprintf(stderr, "%s\n", line.c_str());
    }
    if (absl::Status s = AddSets(request, target, *std::move(sets), selector); !s.ok()) return s;
  }
  if (selector.selection.problems.empty()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "no problem of the set has direction '%s' (empty: any) and at most %g operations (0: any)",
        request.direction, max_flops));
  }
  return std::move(selector.selection);
}

}  // namespace gridwise
