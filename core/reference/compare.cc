// SPDX-License-Identifier: MIT
#include "core/reference/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "core/base/types.h"

namespace gridwise {
namespace {

/// Shape of a binary floating-point type.
struct FloatFormat {
  int mantissa_bits;  ///< stored
  int min_exponent;   ///< of normal numbers
  int max_exponent;
};

FloatFormat FormatOf(DataType type) {
  switch (type) {
    case DataType::kF16:
      return {10, -14, 15};
    case DataType::kBF16:
      return {7, -126, 127};
    default:
      break;
  }
  return {23, -126, 127};
}

/// Magnitudes from here on round to infinity: half an ulp above the largest finite value.
double OverflowThreshold(DataType type) {
  const FloatFormat format = FormatOf(type);
  return std::ldexp(2.0 - std::ldexp(1.0, -format.mantissa_bits - 1), format.max_exponent);
}

/// Whether NaN and infinities are where they should be; `tolerance` is that of finite `ref`.
bool SpecialValuesAgree(DataType type, double out, double ref, double tolerance) {
  if (std::isnan(ref)) return std::isnan(out);
  if (std::isinf(ref)) return out == ref;
  return std::isinf(out) && std::signbit(out) == std::signbit(ref) &&
         std::abs(ref) + tolerance >= OverflowThreshold(type);
}

}  // namespace

double UlpAt(DataType type, double value) {
  if (type == DataType::kI32) return 1;
  const FloatFormat format = FormatOf(type);
  const int exponent = value == 0 ? format.min_exponent : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, format.min_exponent) - format.mantissa_bits);
}

double SumRms(std::span<const double> sums) {
  double squares = 0, counted = 0;
  for (double sum : sums) {
    if (sum == 0 || !std::isfinite(sum)) continue;
    squares += sum * sum;
    ++counted;
  }
  return counted == 0 ? 0 : std::sqrt(squares / counted);
}

double Tolerance(DataType type, double ref, double rms, int64_t reduction_length) {
  if (type == DataType::kI32) return UlpAt(type, ref) / 2;
  const double scale = std::max(std::abs(ref), rms);
  return UlpAt(type, ref) / 2 +
         8 * std::sqrt(static_cast<double>(reduction_length)) * std::ldexp(scale, -24);
}

ErrorStats Compare(DataType type, std::span<const double> out, std::span<const double> ref,
                   int64_t reduction_length, std::optional<double> sum_rms) {
  ErrorStats stats{.rms = sum_rms ? *sum_rms : SumRms(ref)};
  double error_squares = 0, ref_squares = 0;
  const auto count_bad = [&](int64_t i) {
    if (stats.bad++ == 0) stats.first_bad = i;
  };
  const int64_t count = static_cast<int64_t>(std::min(out.size(), ref.size()));
  for (int64_t i = 0; i < count; ++i) {
    const double actual = out[i], expected = ref[i];
    const double tolerance = Tolerance(type, expected, stats.rms, reduction_length);
    if (!std::isfinite(actual) || !std::isfinite(expected)) {
      if (!SpecialValuesAgree(type, actual, expected, tolerance)) count_bad(i);
      continue;
    }
    const double error = std::abs(actual - expected);
    const double ratio = error / tolerance;
    if (ratio > 1) count_bad(i);
    if (ratio > stats.max_ratio || stats.worst < 0) {
      stats.max_ratio = ratio;
      stats.worst = i;
    }
    stats.max_abs = std::max(stats.max_abs, error);
    const double magnitude = std::max(std::abs(expected), stats.rms);
    stats.max_ulps = std::max(stats.max_ulps, error / UlpAt(type, magnitude));
    error_squares += error * error;
    ref_squares += expected * expected;
  }
  if (error_squares > 0) stats.rel_norm = std::sqrt(error_squares / ref_squares);
  return stats;
}

absl::Status CheckError(DataType type, std::span<const double> out, std::span<const double> ref,
                        int64_t reduction_length, std::optional<double> sum_rms) {
  if (out.size() != ref.size()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "the output has %d elements; must have %d, as the reference", out.size(), ref.size()));
  }
  const ErrorStats stats = Compare(type, out, ref, reduction_length, sum_rms);
  if (stats.bad == 0) return absl::OkStatus();
  const double expected = ref[stats.first_bad];
  return absl::DataLossError(absl::StrFormat(
      "element %d is %.9g; must be %.9g within %.3g. %d of %d elements are off; the largest finite "
      "error is %.3g (%.1f %s ulps), the relative error of all is %.3g",
      stats.first_bad, out[stats.first_bad], expected,
      Tolerance(type, expected, stats.rms, reduction_length), stats.bad, out.size(), stats.max_abs,
      stats.max_ulps, Name(type), stats.rel_norm));
}

}  // namespace gridwise
