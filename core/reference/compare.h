// SPDX-License-Identifier: MIT
/// Compares a kernel's output with the reference, at a tolerance derived from its arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "core/base/types.h"

namespace gridwise {

/// Distance between adjacent values of `type`, f16, bf16, f32 or i32, at magnitude |value|,
/// including subnormals.
double UlpAt(DataType type, double value);

/// Root mean square of the sums that are finite and not 0; 0 if there are none. Zeros say nothing
/// about the size of the others: backward-data with a stride beyond the filter has sums without
/// terms, which may be nearly all.
double SumRms(std::span<const double> sums);

/// How much an output element may differ from its exact value `ref`.
///
/// The kernels' arithmetic: K products (exact in f32 for operands of up to 16 bits, rounded for
/// f32) are summed in f32 in any order, and the sum is rounded once to the output type. So
///
///   tolerance = ulp(ref) / 2 + 8 sqrt(K) 2^-24 max(|ref|, rms)
///
/// with rms SumRms() of all sums, which are the reference's elements if no epilogue is applied.
/// First term: the final rounding. Second: adding a term rounds by at most 2^-24 |partial sum|,
/// evenly spread, 2^-24 / sqrt(3) |partial sum| rms. If the terms have no common sign the partial
/// sum of k terms is about sqrt(k) s, s the rms of a term, and the errors add up to 2^-24 / sqrt(3)
/// sqrt(sum of k) s = 2^-24 sqrt(K) / sqrt(6) rms, because rms = sqrt(K) s. If they all have one
/// sign it is k s, and the errors come to 2^-24 sqrt(K) / 3 |ref|. Six standard deviations, which
/// one element in 10^9 passes, are 2.5 sqrt(K) 2^-24; the factor 8 leaves room for terms that
/// differ in size and for elements whose terms are larger than most. A sum kept in f16 or bf16, a
/// lost term of an ordinary sum, or a second rounding is far outside. Sums of i8 are exact:
/// of i32 only the first term remains.
double Tolerance(DataType type, double ref, double rms, int64_t reduction_length);

struct ErrorStats {
  double max_abs = 0;    ///< largest |out - ref|
  double rel_norm = 0;   ///< ||out - ref|| / ||ref||; 0 if both are zero
  double max_ulps = 0;   ///< largest |out - ref| in ulps at max(|ref|, rms of ref)
  double max_ratio = 0;  ///< largest |out - ref| / Tolerance(); above 1 an element is bad
  int64_t worst = -1;    ///< element of max_ratio; -1 if there are no finite elements
  int64_t bad = 0;       ///< elements out of tolerance, NaN and wrong infinities among them
  int64_t first_bad = -1;
  double rms = 0;  ///< SumRms() of the sums
};

/// Compares out[i] with ref[i] for the elements that both have. NaN or infinity in `out` is bad
/// unless `ref` is the same, or so large that it rounds to that infinity. Such elements do not
/// enter the maxima and norms.
/// `sum_rms` is the rms of Tolerance(), if it is not SumRms(ref).
ErrorStats Compare(DataType type, std::span<const double> out, std::span<const double> ref,
                   int64_t reduction_length, std::optional<double> sum_rms = std::nullopt);

/// OK if the sizes agree and no element is bad; else a sentence with the first bad element, its
/// value, the expected value, and the extent of the damage.
absl::Status CheckError(DataType type, std::span<const double> out, std::span<const double> ref,
                        int64_t reduction_length, std::optional<double> sum_rms = std::nullopt);

}  // namespace gridwise
