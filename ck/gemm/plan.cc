// SPDX-License-Identifier: MIT
#include "ck/gemm/plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "ck/descriptor/describe.h"
#include "ck/descriptor/normal_form.h"
#include "ck/gemm/args.h"
#include "ck/gemm/config.h"
#include "core/base/math.h"
#include "core/base/types.h"

namespace gridwise::ck {
namespace {

constexpr std::size_t kBatch = 0, kRow = 1, kTerm = 2;  // axes of a form; columns are kTerm too
constexpr std::int64_t kReach = std::int64_t{1} << 31;  // bytes that offsets can reach over
constexpr std::int64_t kPairLimit = 1 << 14, kPairLeast = -(1 << 13);

/// The lowest and highest coordinates along some axes.
struct Range {
  TensorCoordinate least, most;
  void Add(const NormalAxis& axis) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(axis.digits); ++i) {
      const TensorCoordinate reach = axis.digit[i].unit * (axis.digit[i].length - 1);
      (reach.offset < 0 ? least : most).offset += reach.offset;
      for (std::size_t c = 0; c < kMaxChecks; ++c) {
        (reach.checked[c] < 0 ? least : most).checked[c] += reach.checked[c];
      }
    }
  }
};

/// The slots of a form's checks: the first two are the pair, the last is the single one, which
/// takes the axis with the most indices.
struct Slots {
  int pair[2] = {-1, -1}, single = -1;
};
Slots SlotsOf(const NormalForm& form, Walk walk) {
  std::array<int, kMaxChecks> slot = {};
  for (int i = 0; i < form.checks; ++i) slot[static_cast<std::size_t>(i)] = i;
  std::sort(slot.begin(), slot.begin() + form.checks, [&](int x, int y) {
    return form.limit[static_cast<std::size_t>(x)] > form.limit[static_cast<std::size_t>(y)];
  });
  Slots slots;
  int next = 0;
  if (walk == Walk::kCheck1 || walk == Walk::kCheck3) {
    slots.single = next < form.checks ? slot[static_cast<std::size_t>(next++)] : -1;
  }
  for (int& pair : slots.pair) {
    pair = next < form.checks ? slot[static_cast<std::size_t>(next++)] : -1;
  }
  return slots;
}

std::int64_t CheckOf(const std::array<std::int64_t, kMaxChecks>& checked, int slot) {
  return slot < 0 ? 0 : checked[static_cast<std::size_t>(slot)];
}

TensorCoordinateArgs ToArgs(const TensorCoordinate& coordinate, const Slots& slots, int bytes) {
  return {.offset = static_cast<int>(coordinate.offset * bytes),
          .pair = {static_cast<unsigned short>(CheckOf(coordinate.checked, slots.pair[0])),
                   static_cast<unsigned short>(CheckOf(coordinate.checked, slots.pair[1]))},
          .single = static_cast<int>(CheckOf(coordinate.checked, slots.single))};
}

AxisArgs ToArgs(const NormalAxis& axis, const Slots& slots, int bytes) {
  AxisArgs args = {.length = static_cast<int>(axis.length), .digit = {}};
  for (DigitArgs& digit : args.digit) digit.by = MakeMagicDiv(1);
  const auto digits = static_cast<std::size_t>(axis.digits);
  for (std::size_t i = 0; i < digits; ++i) {
    DigitArgs& digit = args.digit[AxisArgs::kDigits - digits + i];
    digit.length = static_cast<int>(axis.digit[i].length);
    digit.by = MakeMagicDiv(static_cast<unsigned>(digit.length));
    digit.unit = ToArgs(axis.digit[i].unit, slots, bytes);
  }
  return args;
}

ViewArgs ToArgs(const NormalForm& form, Walk walk, int bytes) {
  const Slots slots = SlotsOf(form, walk);
  ViewArgs args;
  const NormalAxis& batch = form.axis[kBatch];
  args.batch = batch.digits == 0 ? 0 : batch.digit[0].unit.offset * bytes;
  TensorCoordinate origin = form.origin;
  if (ChecksOf(walk) == 0) {  // neither summand is negative
    Range terms;
    terms.Add(form.axis[kTerm]);
    args.first_term = static_cast<int>(-terms.least.offset * bytes);
    origin.offset += terms.least.offset;
  }
  args.origin = ToArgs(origin, slots, bytes);
  TensorCoordinate last;
  for (int i = 0; i < form.checks; ++i) {
    last.checked[static_cast<std::size_t>(i)] = form.limit[static_cast<std::size_t>(i)] - 1;
  }
  args.last = ToArgs(last, slots, bytes);
  args.axis[0] = ToArgs(form.axis[kRow], slots, bytes);
  args.axis[1] = ToArgs(form.axis[kTerm], slots, bytes);
  return args;
}

/// What is wrong with a form for any kernel and size.
std::optional<Refusal> RejectForm(const char* name, const NormalForm& form) {
  if (!form.ok()) return Refuse<"%s: %s">(RefusalCode::kLayout, name, ToString(form.mistake));
  if (form.axis[kBatch].digits > 1) {
    return Refuse<"%s: its matrices are not the same distance apart">(RefusalCode::kLayout, name);
  }
  return std::nullopt;
}

/// Bytes that a matrix reaches over. With padding, coordinates may lie outside of the tensor; its
/// existing elements are inside of the range.
std::int64_t ReachOf(const NormalForm& form, int bytes) {
  Range range;
  range.Add(form.axis[kRow]);
  range.Add(form.axis[kTerm]);
  return (range.most.offset - range.least.offset + 1) * bytes;
}

/// An axis' fastest digit.
Digit LastDigit(const NormalAxis& axis) {
  return axis.digits == 0 ? Digit() : axis.digit[static_cast<std::size_t>(axis.digits - 1)];
}

/// Elements that are adjacent in memory along an axis, and along the other one if runs follow each
/// other.
std::int64_t RunLength(const NormalAxis& axis, const NormalAxis& other) {
  const Digit run = LastDigit(axis), next = LastDigit(other);
  if (run.unit.offset != 1) return 1;
  return next.unit.offset == run.length ? run.length * next.length : run.length;
}

/// Which size of a form is too large.
std::optional<std::string> RejectSize(const char* name, const NormalForm& form, int bytes,
                                      std::int64_t limit) {
  for (std::size_t axis = kRow; axis <= kTerm; ++axis) {
    if (form.axis[axis].length >= kReach / 2) {
      return absl::StrFormat("%s has %d %s; must be fewer than %d", name, form.axis[axis].length,
                             axis == kRow ? "rows" : "columns", kReach / 2);
    }
  }
  const std::int64_t reach = ReachOf(form, bytes);
  if (reach >= limit) {
    return absl::StrFormat("a matrix reaches over %d bytes of %s; must be below %d", reach, name,
                           limit);
  }
  return std::nullopt;
}

/// Whether a matrix lies evenly along K.
bool IsEven(const NormalForm& form) {
  const NormalAxis& terms = form.axis[kTerm];
  return terms.digits == 0 || (terms.digits == 1 && terms.digit[0].unit.offset >= 0);
}

/// The minimum and maximum of a checked index of a form, while rows and terms are added.
struct CheckedRange {
  std::int64_t least = 0, most = 0;
  bool fits_pair() const { return least >= kPairLeast && most < kPairLimit; }
};

/// The widest range among those that `walk` checks two at a time.
CheckedRange PairRangeOf(const NormalForm& form, Walk walk) {
  if (form.checks == 0) return {};
  Range row, term;
  row.Add(form.axis[kRow]);
  term.Add(form.axis[kTerm]);
  CheckedRange widest;
  for (const int slot : SlotsOf(form, walk).pair) {
    if (slot < 0) continue;
    const auto i = static_cast<std::size_t>(slot);
    const CheckedRange range = {
        .least = std::min(row.least.checked[i] + form.origin.checked[i], term.least.checked[i]),
        .most = std::max({row.most.checked[i] + form.origin.checked[i], term.most.checked[i],
                          form.limit[i] - 1})};
    if (!range.fits_pair()) return range;
    widest = range;
  }
  return widest;
}

bool Serves(Walk walk, const NormalForm& form) {
  if (form.checks > ChecksOf(walk)) return false;
  return walk == Walk::kEven ? IsEven(form) : PairRangeOf(form, walk).fits_pair();
}

/// Why `walk` does not work for the form.
std::optional<Refusal> RejectWalk(const char* name, const NormalForm& form, Walk walk) {
  if (Serves(walk, form)) return std::nullopt;
  if (form.checks > ChecksOf(walk)) {
    return Refuse<"%s has %d padded axes, and the instance checks %d">(RefusalCode::kLayout, name,
                                                                       form.checks, ChecksOf(walk));
  }
  if (walk == Walk::kEven) {
    return Refuse<"%s does not lie evenly along K, which the instance needs">(RefusalCode::kLayout,
                                                                              name);
  }
  const CheckedRange range = PairRangeOf(form, walk);
  return Refuse<
      "%s has a padded axis whose indices are %d to %d, and the instance checks two of %d to %d">(
      RefusalCode::kLayout, name, range.least, range.most, kPairLeast, kPairLimit - 1);
}

std::optional<Refusal> RejectOperand(const GemmConfig& config, Side side, const NormalForm& form) {
  const char* const name = side == Side::kA ? "A" : "B";
  const GemmConfig::Operand& operand = config.operand(side);
  if (auto reason = RejectForm(name, form)) return reason;
  if (auto reason = RejectWalk(name, form, operand.walk)) return reason;
  const std::size_t axis = operand.along_k() ? kTerm : kRow;
  const int vector = VectorLength(form, axis, SizeOf(config.type));
  if (vector < operand.vector()) {
    return Refuse<
        "%s has %d elements at a time next to each other along %s, and the instance "
        "loads %d">(RefusalCode::kLayout, name, vector, operand.along_k() ? "K" : "its rows",
                    operand.vector());
  }
  return std::nullopt;
}

std::optional<Refusal> RejectOutput(const char* name, const NormalForm& form) {
  if (auto reason = RejectForm(name, form)) return reason;
  if (form.checks > 0) {
    return Refuse<"%s has coordinates outside of its tensor: %d padded axes">(RefusalCode::kLayout,
                                                                              name, form.checks);
  }
  return std::nullopt;
}

}  // namespace

int VectorLength(const NormalForm& form, std::size_t axis, int bytes) {
  const NormalAxis& along = form.axis[axis];
  if (along.digits == 0) return 1;
  const Digit& last = along.digit[static_cast<std::size_t>(along.digits - 1)];
  if (last.unit != TensorCoordinate{.offset = 1, .checked = {}}) return 1;
  // For powers of two, the lowest bit of all numbers together divides them all.
  const std::int64_t lengths = along.digits == 1 ? along.length : along.length | last.length;
  std::int64_t begins = std::abs(form.origin.offset);
  for (std::size_t i = 0; i < static_cast<std::size_t>(form.axes); ++i) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(form.axis[i].digits); ++d) {
      const Digit& digit = form.axis[i].digit[d];
      if (&digit != &last) begins |= std::abs(digit.unit.offset);
    }
  }
  const int vector = static_cast<int>(std::min<std::int64_t>(lengths & -lengths, 16));
  return begins * bytes % 4 == 0 || vector * bytes < 4 ? vector : 1;
}

Walk ChooseWalk(const NormalForm& form) {
  switch (form.checks) {
    case 0:
      return IsEven(form) ? Walk::kEven : Walk::kTable;
    case 1:
      return Walk::kCheck1;
    case 2:
      return Walk::kCheck2;
    default:
      return Walk::kCheck3;
  }
}

bool Demands::Add(const GemmForms& gemm, DataType type) {
  const Kinds before = kinds;
  const auto add = [&](Operand& operand, Runs& runs, std::int64_t& reach, const NormalForm& form) {
    const bool ok = !RejectForm("", form);
    for (std::size_t i = 0; i < kWalks; ++i) {
      operand.walk[i] = operand.walk[i] && ok && Serves(static_cast<Walk>(i), form);
    }
    operand.vector_k = std::min(operand.vector_k, VectorLength(form, kTerm, SizeOf(type)));
    operand.vector_rows = std::min(operand.vector_rows, VectorLength(form, kRow, SizeOf(type)));
    runs.k = std::min(runs.k, RunLength(form.axis[kTerm], form.axis[kRow]));
    runs.rows = std::min(runs.rows, RunLength(form.axis[kRow], form.axis[kTerm]));
    reach = std::max(reach, ReachOf(form, SizeOf(type)));
    longest_axis = std::max({longest_axis, form.axis[kRow].length, form.axis[kTerm].length});
  };
  const auto add_output = [&](const NormalForm& form) {
    kinds.outputs = kinds.outputs && !RejectForm("", form) && form.checks == 0;
    reach_c = std::max(reach_c, ReachOf(form, 1));
    longest_axis = std::max({longest_axis, form.axis[kRow].length, form.axis[kTerm].length});
  };
  add_output(gemm.c);
  for (const NormalForm& d : gemm.d) add_output(d);
  if (gemm.terms > 0) {
    add(kinds.a, runs_a, reach_a, gemm.a);
    add(kinds.b, runs_b, reach_b, gemm.b);
  }
  return kinds != before;
}

bool Demands::AreMetBy(const GemmConfig& config) const {
  const auto are_met = [&](const Operand& demands, const GemmConfig::Operand& operand) {
    return demands.walk[static_cast<std::size_t>(operand.walk)] &&
           operand.vector() <= (operand.along_k() ? demands.vector_k : demands.vector_rows);
  };
  return kinds.outputs && are_met(kinds.a, config.a) && are_met(kinds.b, config.b);
}

bool Demands::FitInOneLaunch(int bytes_of_c, std::int64_t limit) const {
  return std::max({reach_a, reach_b, reach_c * bytes_of_c}) < limit && longest_axis < kReach / 2;
}

std::optional<Refusal> Reject(const GemmConfig& config, const GemmForms& gemm) {
  if (auto reason = RejectOutput("C", gemm.c)) return reason;
  for (const NormalForm& d : gemm.d) {
    if (auto reason = RejectOutput("D", d)) return reason;
  }
  if (gemm.terms == 0) return std::nullopt;
  if (auto reason = RejectOperand(config, Side::kA, gemm.a)) return reason;
  return RejectOperand(config, Side::kB, gemm.b);
}

std::optional<SizeExcess> TooLarge(const GemmConfig& config, const GemmForms& gemm,
                                   const OutputTypes& types, std::int64_t limit) {
  if (auto reason = RejectSize("C", gemm.c, SizeOf(types.c), limit))
    return SizeExcess{'c', *reason};
  for (std::size_t i = 0; i < gemm.d.size(); ++i) {
    if (auto reason = RejectSize("D", gemm.d[i], SizeOf(types.d[i]), limit)) {
      return SizeExcess{'c', *reason};
    }
  }
  if (gemm.terms == 0) return std::nullopt;
  const int bytes = SizeOf(config.type);
  if (auto reason = RejectSize("A", gemm.a, bytes, limit)) return SizeExcess{'a', *reason};
  if (auto reason = RejectSize("B", gemm.b, bytes, limit)) return SizeExcess{'b', *reason};
  return std::nullopt;
}

std::int64_t RowsOf(const GemmForms& gemm) { return gemm.c.axis[kRow].length; }

std::int64_t ColumnsOf(const GemmForms& gemm) { return gemm.c.axis[kTerm].length; }

std::vector<ProblemArgs> MakeProblemArgs(const GemmConfig& config, std::span<const GemmForms> gemms,
                                         const OutputTypes& types, int splits) {
  std::vector<ProblemArgs> all;
  std::int64_t first_tile = 0;
  for (const GemmForms& gemm : gemms) {
    ProblemArgs& args = all.emplace_back();
    args.first_tile = static_cast<int>(first_tile);
    const std::int64_t tile_rows = CeilDiv<std::int64_t>(RowsOf(gemm), config.tile.m);
    const std::int64_t steps = CeilDiv<std::int64_t>(gemm.terms, config.tile.k);
    args.tiles_m = static_cast<int>(tile_rows);
    args.steps = static_cast<int>(CeilDiv<std::int64_t>(steps, splits));
    args.c = ToArgs(gemm.c, Walk::kTable, SizeOf(types.c));
    for (std::size_t i = 0; i < gemm.d.size(); ++i) {
      args.d[i] = ToArgs(gemm.d[i], Walk::kTable, SizeOf(types.d[i]));
    }
    if (gemm.terms > 0) {
      args.a = ToArgs(gemm.a, config.a.walk, SizeOf(config.type));
      args.b = ToArgs(gemm.b, config.b.walk, SizeOf(config.type));
    }
    first_tile += tile_rows * CeilDiv<std::int64_t>(ColumnsOf(gemm), config.tile.n);
  }
  return all;
}

bool IsByElement(const GemmConfig& config, const NormalForm& form, DataType type) {
  NormalForm whole = form;  // columns after the last whole vector are accessed one by one anyway
  NormalAxis& columns = whole.axis[kTerm];
  if (columns.digits == 1) columns.length = AlignUp<std::int64_t>(columns.length, 16);
  return VectorLength(whole, kTerm, SizeOf(type)) < config.vec_out();
}

}  // namespace gridwise::ck
