// SPDX-License-Identifier: MIT
#include "tools/sim/check/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/isa/text/operand.h"

namespace gridwise::sim {
namespace {

std::string Number(double value) {
  return std::isnan(value) ? "NaN" : absl::StrFormat("%.9g", value);
}

/// A unit in the last place of `value`, a normal number; 0 of others.
double Ulp(double value, FloatFormat format) {
  static constexpr int kSmallest[] = {-14, -126, -126, -1022, -6, -14};
  if (value == 0 || !std::isfinite(value)) return 0;
  const int exponent = std::ilogb(value);
  if (exponent < kSmallest[static_cast<int>(format)]) return 0;
  return std::ldexp(1, exponent - PrecisionOf(format) + 1);
}

bool IsScalar(const FloatOperand& operand) {
  return !operand.elements.empty() && operand.elements.front().reg < kFirstVector;
}

}  // namespace

const std::vector<FloatOp>& FloatOps::Of(const InstructionFacts& facts) {
  const auto [entry, is_new] = known_.try_emplace(&facts);
  if (!is_new || facts.memory) return entry->second;
  std::optional<FloatOp> op = FindFloatOp(facts.parsed);
  if (op) entry->second.push_back(*std::move(op));
  Instruction dual;
  if (!facts.parsed.dual.empty() && ParseInstruction(facts.parsed.dual, dual).ok()) {
    op = FindFloatOp(dual);
    if (op) entry->second.push_back(*std::move(op));
  }
  return entry->second;
}

void ValueTracker::Note(const FloatOp& op, Noted& noted) const {
  noted.op = &op;
  uint64_t finite = ~uint64_t{0};
  for (const FloatOperand& source : op.sources) {
    std::vector<std::array<double, kLanes>>& values = noted.sources.emplace_back();
    if (source.constant) {
      values.emplace_back().fill(*source.constant);
    } else if (!op.all_lanes) {
      values.resize(source.elements.size());
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      if (!source.IsFinite(wave_, lane, target_)) finite &= ~(uint64_t{1} << lane);
      for (size_t e = 0; !source.constant && e < values.size(); ++e)
        values[e][static_cast<size_t>(lane)] =
            source.ValueOf(wave_, source.elements[e], lane, target_);
    }
  }
  const bool whole = (~finite & wave_.all_lanes) == 0;
  noted.finite = !op.crosses_lanes ? finite : whole ? ~uint64_t{0} : 0;
}

void ValueTracker::Before(const InstructionFacts& facts) {
  noted_.clear();
  lanes_ = 0;
  for (const FloatOp& op : ops_.Of(facts)) {
    const bool one = IsScalar(op.result);
    lanes_ = one ? 1 : op.all_lanes ? wave_.all_lanes : Exec(wave_);
    Note(op, noted_.emplace_back());
  }
}

std::string ValueTracker::SourcesText(const Noted& noted, int lane) const {
  if (noted.op->all_lanes || noted.op->crosses_lanes) return "";
  std::vector<std::string> texts;
  for (const auto& source : noted.sources) {
    for (const auto& element : source) texts.push_back(Number(element[static_cast<size_t>(lane)]));
  }
  return texts.empty() ? "" : absl::StrCat(" of ", absl::StrJoin(texts, ", "));
}

void ValueTracker::CheckNonfinite(const Noted& noted, Reporter& reporter) const {
  const FloatOp& op = *noted.op;
  for (uint64_t left = lanes_ & noted.finite; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (const FloatOperand::Element& element : op.result.elements) {
      if (op.result.IsFiniteAt(wave_, element, lane, target_)) continue;
      const double value = op.result.ValueOf(wave_, element, lane, target_);
      const bool overflow = op.result.format == FloatFormat::kF16 && std::isinf(value) &&
                            !op.has_pole && !op.converts;
      const std::string detail = absl::StrFormat(
          ": %s in %s%s", Number(value), RegisterName(element.reg), SourcesText(noted, lane));
      const int who = IsScalar(op.result) ? -1 : lane;
      if (settings_.Has(Category::kNonfinite)) {
        reporter.Report(Category::kNonfinite,
                        std::isnan(value) ? "makes a NaN of finite numbers"
                                          : "makes an infinity of finite numbers",
                        detail, who);
      }
      if (overflow && settings_.Has(Category::kOverflow))
        reporter.Report(Category::kOverflow, "a result is too large for f16", detail, who);
      return;
    }
  }
}

void ValueTracker::CheckOverflow(const Noted& noted, Reporter& reporter) const {
  static constexpr const char* kWhat[] = {
      "converts a number that is too large for f16",
      "",
      "",
      "",
      "converts a number that is too large for fp8",
      "converts a number that is too large for bf8",
  };
  const FloatOp& op = *noted.op;
  const double limit = OverflowOf(op.result.format, target_);
  if (!op.converts || op.crosses_lanes || !std::isfinite(limit)) return;
  for (uint64_t left = lanes_ & noted.finite; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (const auto& source : noted.sources) {
      for (const auto& element : source) {
        const double value = element[static_cast<size_t>(lane)];
        if (std::abs(value) < limit) continue;
        reporter.Report(Category::kOverflow, kWhat[static_cast<int>(op.result.format)],
                        absl::StrCat(": ", Number(value)), IsScalar(op.result) ? -1 : lane);
        return;
      }
    }
  }
}

void ValueTracker::CheckCancellation(const Noted& noted, Reporter& reporter) const {
  const FloatOp& op = *noted.op;
  if (!op.adds || op.crosses_lanes) return;
  for (uint64_t left = lanes_ & noted.finite; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    for (size_t e = 0; e < op.result.elements.size(); ++e) {
      const auto number = [&](size_t source) {
        const auto& elements = noted.sources[source];
        return elements[std::min(e, elements.size() - 1)][lane];
      };
      const double a = number(0), b = number(1);
      const double sum =
          op.result.ValueOf(wave_, op.result.elements[e], static_cast<int>(lane), target_);
      const double ulp = Ulp(std::max(std::abs(a), std::abs(b)), op.result.format);
      if (sum == 0 || !(std::abs(sum) <= ulp)) continue;
      reporter.Report(Category::kCancellation, "leaves no more than the last bit of its operands",
                      absl::StrFormat(": %s of %s and %s", Number(sum), Number(a), Number(b)),
                      IsScalar(op.result) ? -1 : static_cast<int>(lane));
      return;
    }
  }
}

void ValueTracker::After(Reporter& reporter) {
  for (const Noted& noted : noted_) {
    CheckNonfinite(noted, reporter);
    if (settings_.Has(Category::kOverflow)) CheckOverflow(noted, reporter);
    if (settings_.Has(Category::kCancellation)) CheckCancellation(noted, reporter);
  }
  noted_.clear();
}

}  // namespace gridwise::sim
