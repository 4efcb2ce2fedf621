// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/bind/alu.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/testing/test_wave.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

/// MODE's rounding and denormal fields and FP16_OVFL, on every vector instruction that writes
/// floats, of every target: a table of what the ISA documents and measurements say of a kind of
/// instructions, and of each cell a property that shows it. What the results are is for other
/// tests.

namespace gridwise::sim {
namespace {

/// What MODE decides of an instruction.
struct Rules {
  enum Denormals { kByMode, kKept, kFlushed };
  Denormals reads = kByMode, writes = kByMode;
  bool rounds = true;
  bool once = true;  // not a product and then a sum, or a root and then its inverse
};

bool Is(std::string_view name, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    if (absl::StartsWith(name, absl::StrCat("v_", part, "_"))) return true;
  }
  return false;
}

/// The table. Sources: CDNA3 ISA 6.4 and its descriptions of instructions; llvm-project 205101;
/// rocm-systems 12056 and rocjitsu's measurements on gfx1201 (transcendental.h, minmax.h,
/// gfx12_dot.h, division.h).
Rules FindRules(std::string_view name, TargetBit target) {
  using enum Rules::Denormals;
  const bool half = absl::StrContains(name, "f16"), single = absl::EndsWith(name, "_f32");
  if (Is(name, {"sqrt", "rcp", "rcp_iflag", "rsq", "exp", "log"}) && single)
    return {kFlushed, kFlushed, false};
  if (Is(name, {"sqrt", "rcp", "rsq", "exp", "log", "sin", "cos"}) && (half || single))
    return {kByMode, kByMode, false};
  if (absl::StrContains(name, "dx9_zero")) return {kFlushed, kFlushed, true};
  if (absl::StartsWith(name, "v_dot2") && single) {
    const auto sums = target == kGfx1201 ? kKept : kFlushed;
    return {sums, sums, false};
  }
  if (absl::StartsWith(name, "v_dot")) return {kKept, kKept, false};
  if (Is(name, {"div_fmas"})) return {kKept, kByMode, true};
  if (Is(name, {"rndne"})) return {kByMode, kByMode, false};
  if (Is(name, {"mad", "mac", "madak", "madmk", "mad_legacy", "rsq"}))
    return {kByMode, kByMode, true, false};
  const bool selects = absl::StrContains(name, "_num_") || absl::StrContains(name, "minimum") ||
                       absl::StrContains(name, "maximum");
  if (selects && target == kGfx1201) return {kByMode, kKept, false};
  return {};
}

/// Executes an instruction with its operands in registers of their own, all lanes alike or not.
class Runner {
 public:
  Runner(const Binding& binding, const SimTarget& target)
      : traits_(binding.traits), target_(target) {
    text_ = absl::StrCat(binding.mnemonic, " ", Register(20, traits_.result));
    if (traits_.second_mask) absl::StrAppend(&text_, ", ", Register(0, ValueType::kMask));
    int written = traits_.arg_count;
    while (written > 0 && traits_.args[written - 1] == ValueType::kNone) --written;
    arguments_ = written;
    if ((traits_.flags & (kAccumulates | kImplicitVcc)) != 0) --written;
    for (int i = 0; i < written; ++i)
      absl::StrAppend(&text_, ", ", Register(2 * i, traits_.args[i]));
  }
  const std::string& text() const { return text_; }
  int arguments() const { return arguments_; }
  ValueType argument(int i) const { return traits_.args[i]; }

  /// The result of each lane of the arguments `values[i][lane]`, as the dwords are.
  std::vector<uint64_t> Results(uint32_t mode,
                                const std::vector<std::vector<uint64_t>>& values) const {
    TestWave wave(BestHandlers(), target_.gfx);
    wave->mode = mode & wave->mode_bits;
    for (int i = 0; i < arguments_; ++i) {
      const bool old = (traits_.flags & kAccumulates) != 0 && i + 1 == arguments_;
      const int reg = old ? 20 : 2 * i;
      for (int l = 0; l < kLanes; ++l) {
        const uint64_t value = values[static_cast<size_t>(i)][static_cast<size_t>(l)];
        wave->v[reg][l] = static_cast<uint32_t>(value);
        if (Dwords(traits_.args[i]) == 2) wave->v[reg + 1][l] = static_cast<uint32_t>(value >> 32);
      }
    }
    const absl::Status status = wave.Execute(text_);
    EXPECT_TRUE(status.ok()) << status;
    std::vector<uint64_t> results;
    const bool wide = Dwords(traits_.result) == 2;
    const bool half = traits_.result == ValueType::kF16;
    const int shift = (traits_.flags & kHighHalf) != 0 ? 16 : 0;
    for (int l = 0; l < target_.wave_size; ++l) {
      const uint64_t low = wave->v[20][l], high = wide ? wave->v[21][l] : 0;
      results.push_back(half ? low >> shift & 0xffff : low | high << 32);
    }
    return results;
  }

 private:
  std::string Register(int index, ValueType type) const {
    if (type == ValueType::kMask) return target_.wave_size == 32 ? "vcc_lo" : "vcc";
    return Dwords(type) == 2 ? absl::StrCat("v[", index, ":", index + 1, "]")
                             : absl::StrCat("v", index);
  }
  const OpTraits& traits_;
  const SimTarget& target_;
  std::string text_;
  int arguments_ = 0;
};

/// The parts of a value that are floats of one format.
struct Format {
  int bits, mantissa, parts;
  int field;  // first bit of the rounding mode; the mode of denormals is 4 bits on
};
const Format* FormatOf(ValueType type) {
  static constexpr Format kF32 = {32, 23, 1, 0}, kF64 = {64, 52, 1, 2}, kF16 = {16, 10, 1, 2},
                          kPkF16 = {16, 10, 2, 2}, kPkF32 = {32, 23, 2, 0};
  switch (type) {
    case ValueType::kF32:
      return &kF32;
    case ValueType::kF64:
      return &kF64;
    case ValueType::kF16:
      return &kF16;
    case ValueType::kPkF16:
      return &kPkF16;
    case ValueType::kPkF32:
      return &kPkF32;
    default:
      return nullptr;
  }
}
uint64_t Part(const Format& f, uint64_t value, int i) {
  return f.bits == 64 ? value : value >> (f.bits * i) & ((uint64_t{1} << f.bits) - 1);
}
uint64_t Join(const Format& f, const std::vector<uint64_t>& parts) {
  uint64_t value = 0;
  for (size_t i = 0; i < parts.size(); ++i) value |= parts[i] << (f.bits * static_cast<int>(i));
  return value;
}
uint64_t SignBit(const Format& f) { return uint64_t{1} << (f.bits - 1); }
uint64_t ExponentBits(const Format& f) {
  return (SignBit(f) - 1) & ~((uint64_t{1} << f.mantissa) - 1);
}
bool IsNan(const Format& f, uint64_t part) { return (part & (SignBit(f) - 1)) > ExponentBits(f); }
/// Denormals of all parts become zeros.
uint64_t Flushed(const Format& f, uint64_t value) {
  std::vector<uint64_t> parts;
  for (int i = 0; i < f.parts; ++i) {
    const uint64_t part = Part(f, value, i);
    parts.push_back((part & ExponentBits(f)) == 0 ? part & SignBit(f) : part);
  }
  return Join(f, parts);
}
/// Order of numbers as integers; -0 is 0.
int64_t Order(const Format& f, uint64_t part) {
  const auto magnitude = static_cast<int64_t>(part & (SignBit(f) - 1));
  return (part & SignBit(f)) != 0 ? -magnitude : magnitude;
}
/// Equal, but for NaNs' bits and, if it does not matter, the sign of zeros.
bool Same(const Format& f, uint64_t a, uint64_t b, bool signs = true) {
  for (int i = 0; i < f.parts; ++i) {
    const uint64_t x = Part(f, a, i), y = Part(f, b, i);
    if (IsNan(f, x) && IsNan(f, y)) continue;
    if (signs ? x != y : Order(f, x) != Order(f, y)) return false;
  }
  return true;
}

using Values = std::vector<std::vector<uint64_t>>;

/// Arguments whose floats have exponents about `centre`: 0 the smallest, 1 that of one, 2 the
/// largest.
Values Draw(const Runner& runner, int centre, std::mt19937_64& random) {
  Values values;
  for (int i = 0; i < runner.arguments(); ++i) {
    std::vector<uint64_t>& lanes = values.emplace_back();
    const Format* f = FormatOf(runner.argument(i));
    for (int l = 0; l < kLanes; ++l) {
      if (f == nullptr) {
        lanes.push_back(random() % 3);
        continue;
      }
      std::vector<uint64_t> parts;
      const uint64_t top = ExponentBits(*f) >> f->mantissa;
      for (int p = 0; p < f->parts; ++p) {
        const uint64_t span = random() % 3;
        const uint64_t exponent = centre == 0   ? span / 2
                                  : centre == 1 ? top / 2 - 1 + span
                                                : top - 1 - span / 2;
        parts.push_back((random() & 1) << (f->bits - 1) | exponent << f->mantissa |
                        (random() & ((uint64_t{1} << f->mantissa) - 1)));
      }
      lanes.push_back(Join(*f, parts));
    }
  }
  return values;
}
Values WithoutDenormals(const Runner& runner, Values values) {
  for (int i = 0; i < runner.arguments(); ++i) {
    const Format* f = FormatOf(runner.argument(i));
    if (f == nullptr) continue;
    for (uint64_t& value : values[static_cast<size_t>(i)]) value = Flushed(*f, value);
  }
  return values;
}

constexpr uint32_t kUsual = kUsualMode, kReads = 0x50, kWrites = 0xa0;

/// With denormals that are read flushed the results are those of zeros.
void CheckReads(const Runner& runner, const Format& f, Rules::Denormals rule,
                const Values& values) {
  const auto kept = runner.Results(kUsual, values);
  const auto zeros = runner.Results(kUsual, WithoutDenormals(runner, values));
  const auto flushed = runner.Results(kUsual & ~kReads, values);
  for (size_t l = 0; l < kept.size(); ++l) {
    if (rule == Rules::kFlushed) EXPECT_TRUE(Same(f, kept[l], zeros[l], false)) << runner.text();
    const uint64_t expected = rule == Rules::kByMode ? zeros[l] : kept[l];
    ASSERT_TRUE(Same(f, flushed[l], expected)) << runner.text() << ", lane " << l << std::hex
                                               << ": " << flushed[l] << ", not " << expected;
  }
}

/// With denormals that are written flushed the results are the flushed ones.
void CheckWrites(const Runner& runner, const Format& f, Rules::Denormals rule,
                 const Values& values) {
  const auto kept = runner.Results(kUsual, values);
  const auto flushed = runner.Results(kUsual & ~kWrites, values);
  for (size_t l = 0; l < kept.size(); ++l) {
    if (rule == Rules::kFlushed) EXPECT_EQ(Flushed(f, kept[l]), kept[l]) << runner.text();
    const uint64_t expected = rule == Rules::kKept ? kept[l] : Flushed(f, kept[l]);
    ASSERT_TRUE(Same(f, flushed[l], expected)) << runner.text() << ", lane " << l << std::hex
                                               << ": " << flushed[l] << ", not " << expected;
  }
}

/// Checks results that are rounded once. Those rounded downwards, to nearest and upwards are in
/// order and adjacent, and the one rounded towards zero is among them; or all are the same if the
/// rule says so.
void CheckRounding(const Runner& runner, const Format& f, Rules rules, const Values& values,
                   bool& differs) {
  std::vector<uint64_t> results[4];
  for (uint32_t r = 0; r < 4; ++r) {
    const uint32_t other = (r + 1) % 4;  // the field of other types
    const uint32_t mode = f.field == 0 ? r | other << 2 : r << 2 | other;
    results[r] = runner.Results(kUsual | mode, values);
  }
  for (size_t l = 0; l < results[0].size(); ++l) {
    for (int p = 0; p < f.parts; ++p) {
      const auto part = [&](int r) { return Part(f, results[r][l], p); };
      if (IsNan(f, part(0))) continue;
      const int64_t nearest = Order(f, part(0)), up = Order(f, part(1)), down = Order(f, part(2)),
                    zero = Order(f, part(3));
      differs = differs || up != down;
      if (!rules.once) continue;
      if (!rules.rounds) {
        ASSERT_TRUE(up == nearest && down == nearest && zero == nearest) << runner.text();
        continue;
      }
      ASSERT_TRUE(down <= nearest && nearest <= up && up - down <= 1)
          << runner.text() << ": " << down << ", " << nearest << ", " << up;
      ASSERT_EQ(zero, std::abs(up) < std::abs(down) ? up : down) << runner.text();
    }
  }
}

/// With FP16_OVFL no finite halves make an infinite one, and all else stays.
void CheckOverflow(const Runner& runner, const Format& f, const Values& values, bool& limited) {
  const auto usual = runner.Results(kUsual, values);
  const auto limits = runner.Results(kUsual | 1u << 23, values);
  for (size_t l = 0; l < usual.size(); ++l) {
    for (int p = 0; p < f.parts; ++p) {
      const uint64_t was = Part(f, usual[l], p), is = Part(f, limits[l], p);
      const bool infinite = f.bits == 16 && (was & 0x7fff) == 0x7c00;
      limited = limited || infinite;
      if (IsNan(f, was)) continue;
      ASSERT_EQ(is, infinite ? was - 1 : was) << runner.text() << std::hex << ": was " << was;
    }
  }
}

TEST(ModeSweep, EveryInstructionThatWritesFloats) {
  std::mt19937_64 random(20261128);
  int instructions = 0, rounding = 0, limiting = 0;
  for (const SimTarget& target : kSimTargets) {
    for (const Binding* binding : BestHandlers().All(target.bit)) {
      const Format* f = FormatOf(binding->traits.result);
      if (binding->op_class != OpClass::kValu || binding->mnemonic[0] == '@' || f == nullptr)
        continue;
      if (binding->bind != &BindValu || absl::EndsWith(binding->mnemonic, ".clamp")) continue;
      ++instructions;
      const Rules rules = FindRules(binding->mnemonic, target.bit);
      const Runner runner(*binding, target);
      SCOPED_TRACE(target.gfx);
      // div_fixup and div_scale mix operands that MODE decides of and others.
      const bool mixed = absl::StartsWith(binding->mnemonic, "v_div_fixup");
      bool differs = false, limited = false;
      for (int round = 0; round < 6; ++round) {
        const Values small = Draw(runner, 0, random), ones = Draw(runner, 1, random),
                     large = Draw(runner, 2, random);
        if (!mixed) CheckReads(runner, *f, rules.reads, small);
        CheckWrites(runner, *f, rules.writes, small);
        CheckRounding(runner, *f, rules, ones, differs);
        CheckOverflow(runner, *f, large, limited);
        if (testing::Test::HasFatalFailure()) return;
      }
      rounding += differs ? 1 : 0;
      limiting += limited ? 1 : 0;
    }
  }
  // The properties have been put to the test.
  EXPECT_GT(instructions, 300);
  EXPECT_GT(rounding, 100);
  EXPECT_GT(limiting, 40);
}

}  // namespace
}  // namespace gridwise::sim
