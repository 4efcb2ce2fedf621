// SPDX-License-Identifier: MIT
#include "core/reference/nonfinite_cases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>

namespace gridwise {
namespace {

using Pixel = std::array<std::int64_t, 3>;  // d, h, w

std::int64_t Count(const Pixel& size) { return size[0] * size[1] * size[2]; }

template <class Visit>
void ForEachPixel(const Pixel& size, Visit visit) {
  for (std::int64_t d = 0; d < size[0]; ++d) {
    for (std::int64_t h = 0; h < size[1]; ++h) {
      for (std::int64_t w = 0; w < size[2]; ++w) visit(Pixel{d, h, w});
    }
  }
}

Pixel OfAxes(const ConvProblem& problem, std::int64_t (*of)(const Dim&)) {
  return {of(problem.dims[0]), of(problem.dims[1]), of(problem.dims[2])};
}
Pixel Inputs(const ConvProblem& problem) {
  return OfAxes(problem, [](const Dim& dim) { return dim.in; });
}
Pixel Outputs(const ConvProblem& problem) {
  return OfAxes(problem, [](const Dim& dim) { return dim.out(); });
}
Pixel Taps(const ConvProblem& problem) {
  return OfAxes(problem, [](const Dim& dim) { return dim.filter; });
}

/// Elements of x, w or y with any pixel: outside of the tensor there are zeros.
struct WithPadding {
  std::span<const float> values;  // [outer][d][h][w][inner]
  Pixel size;
  std::int64_t inner;

  float At(std::int64_t outer, const Pixel& pixel, std::int64_t at) const {
    std::int64_t index = outer;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (pixel[axis] < 0 || pixel[axis] >= size[axis]) return 0;
      index = index * size[axis] + pixel[axis];
    }
    return values[static_cast<std::size_t>(index * inner + at)];
  }
};

/// The position of y whose tap meets the pixel of x, inside of y or not. Returns false if the
/// pixel lies between the strides.
bool FindOutput(const ConvProblem& problem, const Pixel& pixel, const Pixel& tap, Pixel& output) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Dim& dim = problem.dims[axis];
    const std::int64_t steps = pixel[axis] + dim.pad_begin - tap[axis] * dim.dilation;
    if (steps % dim.stride != 0) return false;
    output[axis] = steps / dim.stride;
  }
  return true;
}

Pixel InputOf(const ConvProblem& problem, const Pixel& output, const Pixel& tap) {
  Pixel input;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Dim& dim = problem.dims[axis];
    input[axis] = output[axis] * dim.stride + tap[axis] * dim.dilation - dim.pad_begin;
  }
  return input;
}

/// Calls visit(image, pixel of x, tap, pixel of y) for the terms of one pair of channels: for each
/// output of the direction those that exist, padding included.
template <class Visit>
void ForEachTerm(const ConvProblem& problem, Visit visit) {
  const bool data = problem.direction == Direction::kBackwardData;
  for (std::int64_t n = 0; n < problem.batch; ++n) {
    ForEachPixel(data ? Inputs(problem) : Outputs(problem), [&](const Pixel& pixel) {
      ForEachPixel(Taps(problem), [&](const Pixel& tap) {
        Pixel output = pixel;
        if (!data) {
          visit(n, InputOf(problem, pixel, tap), tap, pixel);
        } else if (FindOutput(problem, pixel, tap, output)) {
          visit(n, pixel, tap, output);
        }
      });
    });
  }
}

std::int64_t IndexOf(const Pixel& size, const Pixel& pixel) {
  return (pixel[0] * size[1] + pixel[1]) * size[2] + pixel[2];
}

/// Axes of ForEachNonFiniteCase.
std::vector<Dim> SmallAxes() {
  std::vector<Dim> axes;
  for (std::int64_t code = 0; code < 3 * 3 * 4 * 2 * 3 * 3; ++code) {
    std::int64_t rest = code;
    const auto next = [&rest](std::int64_t count) {
      const std::int64_t value = rest % count;
      rest /= count;
      return value;
    };
    const Dim dim = {.in = next(3) + 1,
                     .filter = next(3) + 1,
                     .stride = next(4) + 1,
                     .dilation = next(2) + 1,
                     .pad_begin = next(3),
                     .pad_end = next(3)};
    if (dim.out() > 0) axes.push_back(dim);
  }
  return axes;
}

/// Pixels or taps of the tensor that has most.
std::int64_t MostPlaces(const ConvProblem& problem) {
  return std::max({Count(Inputs(problem)), Count(Outputs(problem)), Count(Taps(problem))});
}

/// Problems without channels.
std::vector<ConvProblem> SmallProblems(Direction direction) {
  constexpr int kOfSeveralAxes = 300;
  constexpr std::int64_t kMaxPlaces = 18;
  const std::vector<Dim> axes = SmallAxes();
  std::vector<Dim> plain;  // which rewrites merge
  std::ranges::copy_if(axes, std::back_inserter(plain), [](const Dim& dim) {
    return dim.dilation == 1 && dim.pad_begin == 0 && dim.pad_end == 0;
  });
  std::vector<ConvProblem> problems;
  for (const std::int64_t groups : {1, 2}) {
    for (const Dim& w : axes) {
      problems.push_back(
          {.direction = direction, .rank = 1, .groups = groups, .dims = {Dim{}, Dim{}, w}});
    }
  }
  std::mt19937 random(17);
  for (int i = 0; i < kOfSeveralAxes;) {
    ConvProblem problem = {.direction = direction, .rank = 2 + i % 2, .groups = 1 + i % 5 / 4};
    for (auto axis = static_cast<std::size_t>(3 - problem.rank); axis < 3; ++axis) {
      const std::vector<Dim>& from = random() % 2 == 0 ? axes : plain;
      problem.dims[axis] = from[random() % from.size()];
    }
    if (MostPlaces(problem) > kMaxPlaces) continue;
    problems.push_back(problem);
    ++i;
  }
  return problems;
}

/// Channels and images enough for each place of each operand, and one more.
ConvProblem WithChannels(ConvProblem problem) {
  const std::int64_t places = MostPlaces(problem);
  problem.batch = places;
  problem.c = problem.k = problem.groups * (places + 1);
  return problem;
}

/// Puts the infinities into `values` of the tensor, in the last group: that of place i into image
/// i, or output channel i of w, and into channel i.
void Plant(const ConvProblem& problem, Tensor tensor, std::vector<float>& values) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const TensorAxes axes = problem.AxesOf(tensor);  // g, k, z, y, x, c, or n, d, h, w, g, c
  const bool weights = tensor == Tensor::kW;
  const auto& s = axes.size;
  const Pixel size = weights ? Pixel{s[2], s[3], s[4]} : Pixel{s[1], s[2], s[3]};
  const std::int64_t group = problem.groups - 1;
  for (std::int64_t i = 0; i < Count(size); ++i) {
    const std::int64_t at = weights ? ((group * s[1] + i) * Count(size) + i) * s[5] + i
                                    : ((i * Count(size) + i) * problem.groups + group) * s[5] + i;
    values[static_cast<std::size_t>(at)] = i % 2 == 0 ? kInfinity : -kInfinity;
  }
}

/// Multiples of 1/8 from -2 to 2 that are not 0.
std::vector<float> DrawValues(std::int64_t count, std::mt19937& random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    const auto eighths = static_cast<float>(random() % 16 + 1);
    value = (random() % 2 == 0 ? eighths : -eighths) / 8;
  }
  return values;
}

}  // namespace

std::vector<double> PaddedSums(const ConvProblem& problem, std::span<const float> a,
                               std::span<const float> b) {
  const bool forward = problem.direction == Direction::kForward;
  const bool weight = problem.direction == Direction::kBackwardWeight;
  const std::int64_t groups = problem.groups;
  const std::int64_t c_of_group = problem.c_per_group(), k_of_group = problem.k_per_group();
  const WithPadding x = {forward ? a : b, Inputs(problem), problem.c};
  const WithPadding y = {a, Outputs(problem), problem.k};
  const WithPadding w = {b, Taps(problem), c_of_group};
  std::vector<double> sums(static_cast<std::size_t>(problem.out_elements()));
  ForEachTerm(problem, [&](std::int64_t n, const Pixel& in, const Pixel& tap, const Pixel& out) {
    for (std::int64_t k = 0; k < problem.k; ++k) {
      for (std::int64_t i = 0; i < c_of_group; ++i) {
        const std::int64_t c = k / k_of_group * c_of_group + i;
        double left = 0, right = 0;
        std::int64_t at = 0;
        if (forward) {
          left = x.At(n, in, c), right = w.At(k, tap, i);
          at = (n * Count(y.size) + IndexOf(y.size, out)) * groups * k_of_group + k;
        } else if (weight) {
          left = y.At(n, out, k), right = x.At(n, in, c);
          at = (k * Count(w.size) + IndexOf(w.size, tap)) * c_of_group + i;
        } else {
          left = y.At(n, out, k), right = w.At(k, tap, i);
          at = (n * Count(x.size) + IndexOf(x.size, in)) * groups * c_of_group + c;
        }
        sums[static_cast<std::size_t>(at)] += left * right;
      }
    }
  });
  return sums;
}

bool AreEqual(double sum, double other) {
  return sum == other || (std::isnan(sum) && std::isnan(other));
}

void ForEachNonFiniteCase(Direction direction, absl::FunctionRef<void(const NonFiniteCase&)> test) {
  std::mt19937 random(23);
  for (const ConvProblem& shape : SmallProblems(direction)) {
    const ConvProblem problem = WithChannels(shape);
    const std::vector<float> a = DrawValues(problem.a_elements(), random);
    const std::vector<float> b = DrawValues(problem.b_elements(), random);
    for (const Tensor planted : {problem.a(), problem.b()}) {
      NonFiniteCase one = {.problem = problem, .planted = planted, .a = a, .b = b, .sums = {}};
      Plant(problem, planted, planted == problem.a() ? one.a : one.b);
      one.sums = PaddedSums(problem, one.a, one.b);
      test(one);
    }
  }
}

}  // namespace gridwise
