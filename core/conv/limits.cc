// SPDX-License-Identifier: MIT
#include "core/conv/limits.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace gridwise {
namespace {

/// The product `what` of `factors` must not overflow, nor exceed `maximum`.
absl::Status ProductFits(std::string_view what, std::initializer_list<int64_t> factors,
                         int64_t maximum) {
  int64_t product = 1;
  bool fits = true;
  for (int64_t factor : factors) fits = fits && !__builtin_mul_overflow(product, factor, &product);
  if (fits && product <= maximum) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ", absl::StrJoin(factors, " * "), "; must be <= ", maximum));
}

// Multiply-adds: elements of y times the weights of an output channel.
static_assert(kMaxElements <= std::numeric_limits<int64_t>::max() / kMaxWeightsOfChannel);

/// See kMaxSpanBytes. In NGCHW, tensors are transposed first.
absl::Status ValidateSpan(ConvProblem p) {
  if (p.layout == Layout::kNGCHW) p.layout = Layout::kNHWGC;
  const bool of_y = p.direction == Direction::kBackwardData;
  const PerAxis stride = p.AxesOf(of_y ? Tensor::kY : Tensor::kX).stride;
  int64_t elements = stride[3];
  for (size_t i = 0; i < 3; ++i) {
    const Dim& dim = p.dims[i];
    const int64_t reach = dim.dilated_filter() - 1;
    const int64_t pixels =
        of_y ? std::min(dim.out() - 1, reach / dim.stride) : std::min(dim.in - 1, reach);
    elements += pixels * stride[i + 1];
  }
  return AtMost(of_y ? "the span of the pixels of dy that a pixel of dx meets, in bytes,"
                     : "the span of the pixels of x that a pixel of y meets, in bytes,",
                elements * SizeOf(p.type), kMaxSpanBytes);
}

/// See kMaxResidues.
absl::Status ValidateResidues(const ConvProblem& p) {
  if (p.direction != Direction::kBackwardData) return absl::OkStatus();
  const auto residues = [](const Dim& dim) { return std::min(dim.stride, dim.in); };
  const auto& [d, h, w] = p.dims;
  return ProductFits("the number of residues of a position modulo the strides",
                     {residues(d), residues(h), residues(w)}, kMaxResidues);
}

}  // namespace

absl::Status AtMost(std::string_view what, int64_t value, int64_t maximum) {
  if (value <= maximum) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is %d; must be <= %d", what, value, maximum));
}

absl::Status ValidateLimits(const ConvProblem& p) {
  const auto& [d, h, w] = p.dims;
  const int64_t c_of_weights = p.weight_layout == WeightLayout::kGKYXC ? p.c_per_group() : p.c;
  for (const absl::Status& status : {
           AtMost("batch", p.batch, kMaxAxisLength),
           AtMost("c", p.c, kMaxChannels),
           AtMost("k", p.k, kMaxChannels),
           ProductFits("the number of pixels of x (d * h * w)", {d.in, h.in, w.in}, kMaxPixels),
           ProductFits("the number of pixels of y (do * ho * wo)", {d.out(), h.out(), w.out()},
                       kMaxPixels),
           ProductFits("the number of weights of an output channel (z * y * x * c)",
                       {d.filter, h.filter, w.filter, c_of_weights}, kMaxWeightsOfChannel),
       }) {
    if (!status.ok()) return status;
  }
  for (const absl::Status& status : {
           ProductFits("the number of elements of x (batch * d * h * w * c)",
                       {p.batch, d.in, h.in, w.in, p.c}, kMaxElements),
           ProductFits("the number of elements of w (k * z * y * x * c / groups)",
                       {p.k, d.filter, h.filter, w.filter, p.c_per_group()}, kMaxElements),
           ProductFits("the number of elements of y (batch * do * ho * wo * k)",
                       {p.batch, d.out(), h.out(), w.out(), p.k}, kMaxElements),
       }) {
    if (!status.ok()) return status;
  }
  // Now the tensors' products are known to fit in 64 bits.
  if (absl::Status status = AtMost("the number of elements of x, w and y",
                                   p.x_elements() + p.w_elements() + p.y_elements(), kMaxElements);
      !status.ok()) {
    return status;
  }
  if (absl::Status status = ValidateSpan(p); !status.ok()) return status;
  return ValidateResidues(p);
}

}  // namespace gridwise
