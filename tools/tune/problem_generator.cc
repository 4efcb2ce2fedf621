// SPDX-License-Identifier: MIT
#include "tools/tune/problem_generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/conv/validate.h"
#include "tools/tune/networks.h"

namespace gridwise {
namespace {

/// Draws, the same on every machine: of the standard library's distributions that is not said.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::uint64_t Below(std::uint64_t n) { return random_() % n; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  /// Evenly in the logarithm.
  std::int64_t Log(double low, double high) {
    const double unit = static_cast<double>(random_() >> 11) * 0x1p-53;
    return std::llround(std::exp2(std::log2(low) + unit * (std::log2(high) - std::log2(low))));
  }
  template <class List>
  auto Of(const List& list) {
    return list[Below(std::size(list))];
  }

 private:
  std::mt19937_64 random_;
};

constexpr std::int64_t kBatches[] = {1, 1, 2, 4, 8, 8, 16, 16, 32, 32, 64, 128, 256};

/// Channels of a group: mostly multiples of 8 or 16, some of neither.
std::int64_t Channels(Draw& draw, double low, double high) {
  const std::int64_t channels = draw.Log(low, high);
  if (draw.OneIn(6)) return channels;
  const std::int64_t unit = channels >= 64 ? 16 : channels >= 8 ? 8 : 1;
  return (channels + unit - 1) / unit * unit;
}

/// A layer like a network's: as it is, or of another width, resolution or number of groups.
ConvProblem LikeLayer(Draw& draw, const NetworkLayer& layer) {
  ConvProblem problem = layer.problem;
  if (draw.OneIn(4)) return problem;
  const bool depthwise = problem.groups == problem.c && problem.groups == problem.k;
  constexpr double kWidths[] = {0.5, 0.75, 1, 1.25, 1.5, 2};
  const auto scaled = [unit = draw.Of(kWidths)](std::int64_t channels) {
    if (channels < 16) return channels;  // channels of images
    return std::max<std::int64_t>(8, std::llround(static_cast<double>(channels) * unit / 8) * 8);
  };
  const std::int64_t c = scaled(problem.c_per_group()), k = scaled(problem.k_per_group());
  if (depthwise) {
    problem.groups = problem.c = problem.k = scaled(problem.groups);
  } else {
    constexpr std::int64_t kGroups[] = {2, 4, 8, 16, 32};
    const std::int64_t groups =
        problem.groups > 1 || draw.OneIn(8) ? draw.Of(kGroups) : problem.groups;
    problem.groups = groups;
    problem.c = groups > 1 && problem.c_per_group() > 64 ? c / groups * groups : c * groups;
    problem.k = groups > 1 && problem.k_per_group() > 64 ? k / groups * groups : k * groups;
    problem.c = std::max(problem.c, groups);
    problem.k = std::max(problem.k, groups);
  }
  constexpr double kResolutions[] = {0.5, 0.75, 1, 1, 1.25, 1.5, 2};
  const double resolution = draw.Of(kResolutions);
  for (Dim& dim : problem.dims) {
    if (dim.in == 1) continue;
    dim.in = std::max(dim.dilated_filter(),
                      std::int64_t{std::llround(static_cast<double>(dim.in) * resolution)});
  }
  return problem;
}

ConvProblem Synthetic(Draw& draw) {
  ConvProblem problem;
  constexpr int kRanks[] = {1, 2, 2, 2, 2, 2, 2, 2, 3};
  problem.rank = draw.Of(kRanks);
  const std::uint64_t kind = draw.Below(10);
  if (kind == 0) {  // depthwise
    problem.groups = problem.c = problem.k = Channels(draw, 8, 1024);
  } else {
    constexpr std::int64_t kGroups[] = {2, 3, 4, 8, 16, 32, 64};
    problem.groups = kind <= 2 ? draw.Of(kGroups) : 1;
    const double most = 2048.0 / std::sqrt(static_cast<double>(problem.groups));
    problem.c = problem.groups * Channels(draw, kind == 3 ? 1 : 4, kind == 3 ? 4 : most);
    problem.k = problem.groups * Channels(draw, 4, most);
  }
  constexpr std::int64_t kFilters[] = {1, 1, 1, 2, 3, 3, 3, 3, 3, 4, 5, 7};
  const std::int64_t filter = draw.Of(kFilters);
  const std::int64_t stride = draw.OneIn(4) ? 2 : draw.OneIn(12) ? 3 : 1;
  const std::int64_t dilation = filter > 1 && draw.OneIn(8) ? 2 : 1;
  const double largest = problem.rank == 1 ? 65536 : problem.rank == 2 ? 256 : 64;
  for (std::size_t axis = 3 - static_cast<std::size_t>(problem.rank); axis < 3; ++axis) {
    Dim& dim = problem.dims[axis];
    dim.filter = draw.OneIn(10) ? 1 : filter;
    dim.stride = stride;
    dim.dilation = dim.filter > 1 ? dilation : 1;
    dim.pad_begin = draw.OneIn(5) ? 0 : dim.dilation * (dim.filter - 1) / 2;
    dim.pad_end = dim.pad_begin + (draw.OneIn(12) ? 1 : 0);
    dim.in = std::max(dim.dilated_filter(), draw.Log(4, largest));
  }
  return problem;
}

/// FNV-1a over the numbers of a geometry.
std::uint64_t Hash(const ConvProblem& problem) {
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&hash](std::int64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ ((static_cast<std::uint64_t>(value) >> (8 * byte)) & 255)) * 1099511628211u;
    }
  };
  for (const std::int64_t count : {problem.groups, problem.c, problem.k}) add(count);
  for (const Dim& dim : problem.dims) {
    for (const std::int64_t extent :
         {dim.in, dim.filter, dim.stride, dim.dilation, dim.pad_begin, dim.pad_end}) {
      add(extent);
    }
  }
  return hash ^ (hash >> 32);
}

/// What tells problems of a set apart.
std::array<std::int64_t, 2> KeyOf(const ConvProblem& problem) {
  return {static_cast<std::int64_t>(Hash(problem)), problem.batch};
}

}  // namespace

ProblemUse UseOf(const ConvProblem& problem) {
  const std::uint64_t tenth = Hash(problem) % 10;
  return tenth < 7   ? ProblemUse::kTraining
         : tenth < 8 ? ProblemUse::kValidation
                     : ProblemUse::kTest;
}

std::vector<NamedProblem> GenerateProblems(const GeneratorOptions& options) {
  Draw draw(options.seed);
  std::vector<NamedProblem> problems;
  std::set<std::array<std::int64_t, 2>> known;
  while (problems.size() < static_cast<std::size_t>(std::max(0, options.count))) {
    std::string name = "synthetic";
    ConvProblem problem;
    if (draw.OneIn(2)) {
      const NetworkLayer& layer = NetworkLayers()[draw.Below(NetworkLayers().size())];
      problem = LikeLayer(draw, layer);
      name = problem == layer.problem ? layer.name : absl::StrCat("like-", layer.name);
    } else {
      problem = Synthetic(draw);
    }
    problem.batch = draw.Of(kBatches);
    problem.direction = options.direction;
    while (problem.batch > 1 && problem.Flops() > options.max_flops) problem.batch /= 2;
    if (problem.Flops() > options.max_flops || !Validate(problem).ok()) continue;
    if (UseOf(problem) != options.use || !known.insert(KeyOf(problem)).second) continue;
    problems.push_back({.name = absl::StrFormat("%s-%04d", name, problems.size()),
                        .problem = problem,
                        .directions = {options.direction},
                        .note = ""});
  }
  return problems;
}

}  // namespace gridwise
