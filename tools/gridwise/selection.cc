#include "tools/gridwise/selection.h"

#include <algorithm>

#include "absl/status/status.h"
#include "core/conv/problem_io.h"
#include "core/gemm/problem_io.h"
#include "tools/gridwise/problem_sets.h"
#include "tools/gridwise/variant_flags.h"

namespace gridwise {
namespace {

class Selector {
 public:
  Selector(const ProblemRequest& request, const RequestedTarget& target, double max_flops)
      : request_(request), target_(target), max_flops_(max_flops) {}

  absl::Status Add(const NamedProblem& named, Direction direction) {
    if (std::find(named.directions.begin(), named.directions.end(), direction) ==
        named.directions.end()) {
      return absl::OkStatus();
    }
    ConvProblem problem = named.problem;
    problem.direction = direction;
    problem.batch = request_.sizes.n.value_or(problem.batch);
    return AddProblem(named.name, problem);
  }
  absl::Status Add(const NamedGemm& named) {
    if (request_.sizes.n) {
      return absl::InvalidArgumentError("--n is of convolutions; the set is of gemm");
    }
    return AddProblem(named.name, named.problem);
  }

  Selection selection;

 private:
  template <class P>
  absl::Status AddProblem(const std::string& name, P problem) {
    if (!request_.problem.empty() && name != request_.problem) return absl::OkStatus();
    problem.type = target_.type;
    if (target_.out_type) problem.out_type = target_.out_type;
    absl::Status status = ApplyVariant(request_.variant, problem);
    if (!status.ok()) return status;
    if (max_flops_ > 0 && problem.Flops() > max_flops_) {
      ++selection.too_large;
    } else {
      selection.problems.push_back({name, problem});
    }
    return absl::OkStatus();
  }

  const ProblemRequest& request_;
  const RequestedTarget& target_;
  const double max_flops_;
};

/// Whether a set has the problem that the request names.
absl::Status CheckIsThere(const ProblemRequest& request, const std::vector<ProblemSet>& sets) {
  if (request.problem.empty() || FindGemm(sets, request.problem).ok()) return absl::OkStatus();
  return FindProblem(sets, request.problem).status();
}

}  // namespace

absl::StatusOr<Selection> SelectProblems(const ProblemRequest& request,
                                         const RequestedTarget& target, double max_flops) {
  const absl::StatusOr<std::vector<ProblemSet>> sets =
      LoadProblemSets(request.problems, request.program);
  if (!sets.ok()) return sets.status();
  if (absl::Status status = CheckIsThere(request, *sets); !status.ok()) return status;
  Selector selector(request, target, max_flops);
  for (const Direction direction : target.directions) {
    for (const ProblemSet& set : *sets) {
      for (const NamedProblem& named : set.problems) {
        if (absl::Status s = selector.Add(named, direction); !s.ok()) return s;
      }
    }
  }
  // All sets together have matrices too, whose n is another one.
  const bool wants_gemms = target.gemms && !(request.direction.empty() && request.sizes.n);
  for (const ProblemSet& set : *sets) {
    for (const NamedGemm& named : set.gemms) {
      if (!wants_gemms) break;
      if (absl::Status s = selector.Add(named); !s.ok()) return s;
    }
  }
  if (selector.selection.problems.empty()) {
    return absl::InvalidArgumentError("no problem of the set has the direction and size asked for");
  }
  return std::move(selector.selection);
}

}  // namespace gridwise
