// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tools/sim/isa/bind/binding.h"
#include "tools/sim/isa/text/operand.h"

namespace gridwise::sim {

/// The bits that the constant operand (kInteger or kFloat) has for an instruction that reads it as
/// `type`; the low 32 or 64 of them count (AMD Instinct MI300 ISA, "Constants": inline constants
/// and literals).
uint64_t ConstantBits(const Operand& operand, ValueType type);

/// The half nearest to `value`, ties to even.
uint16_t HalfBits(double value);

}  // namespace gridwise::sim
