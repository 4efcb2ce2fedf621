// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/operand.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// Formats of floating point numbers in registers. kFp8 and kBf8 have 4 and 5 bits of exponent, as
/// OCP has them or (on gfx942) FNUZ.
enum class FloatFormat : uint8_t { kF16, kBf16, kF32, kF64, kFp8, kBf8 };

/// Bits of a number's significand, the first one included.
int PrecisionOf(FloatFormat format);
/// Numbers from this one on are not representable: they round to infinity, or to the largest
/// number where rounding or the mode keeps them there. `target` decides what kFp8 and kBf8 are.
double OverflowOf(FloatFormat format, TargetBit target);

/// An operand of floating point numbers.
struct FloatOperand {
  /// A number in a register: registers as in RegisterUses, `shift` in bits. Of 64-bit ones the low
  /// half.
  struct Element {
    uint16_t reg;
    uint8_t shift;
  };

  FloatFormat format = FloatFormat::kF32;
  std::vector<Element> elements;   // none of a constant
  std::optional<double> constant;  // NaN where its bits are those of a NaN

  double ValueOf(const Wave& wave, const Element& element, int lane, TargetBit target) const;
  bool IsFiniteAt(const Wave& wave, const Element& element, int lane, TargetBit target) const;
  /// Whether all elements of the lane (of scalar registers: of any) are finite.
  bool IsFinite(const Wave& wave, int lane, TargetBit target) const;
};

/// An instruction whose result is floating point numbers, made by arithmetic: not by moving or
/// selecting bits.
struct FloatOp {
  FloatOperand result;
  std::vector<FloatOperand> sources;  // floating point ones; integers are finite
  bool crosses_lanes = false;         // a lane's result depends on other lanes' sources
  bool all_lanes = false;             // whatever EXEC is: matrix instructions
  bool has_pole = false;              // 1 / 0, log(0): infinite, but nothing was too large
  bool converts = false;              // to a narrower format
  bool adds = false;                  // two numbers, element by element
};

/// The floating point operation of `instruction`. Nothing if it has none, or one that is not
/// understood: a conversion with a scale, or a matrix instruction whose formats are modifiers.
std::optional<FloatOp> FindFloatOp(const Instruction& instruction);

}  // namespace gridwise::sim
