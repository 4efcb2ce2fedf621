// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/wave/uop.h"

/// Binding tables: what each file of handlers exports. A file x.cc ends in
///
///   BindingTable XTable() {
///     static constexpr Binding kTable[] = {
///         {"ds_read_b32", OpClass::kLds, &BindDsRead, &Step<DsRead<1>>, {.dwords = 1}},
///         ...
///     };
///     return {kTable, std::size(kTable)};
///   }
///
/// in namespace gridwise::sim::GRIDWISE_SIM_LEVEL, and is listed in exec/tables_level.cc. There are
/// no static initialisers and no registration by side effect. Bind functions are compiled once, in
/// isa/bind; exec files only take their addresses.

namespace gridwise::sim {

class Binder;
struct Instruction;
struct Binding;

/// Turns one instruction into micro-ops by Binder::Emit. Must take every modifier that it
/// understands (Instruction::Take...): what is left is an error.
using BindFn = absl::Status (*)(Binder&, const Binding&, Instruction&);

/// How an instruction reads or writes an operand: the size of its value, and how constants are made
/// for it.
enum class ValueType : uint8_t {
  kNone,
  kB16,  // low 16 bits; the float constant 1.0 is the half
  kF16,
  kPkB16,  // two halves of a dword: -1 is 0xffffffff, 1.0 is the float, as for kB32
  kPkF16,  // the same, but 1.0 is the half in the low half, and 0 in the high one
  kB32,    // 1.0 is the float
  kF32,
  kB64,    // 32-bit literals are zero-extended
  kI64,    // 32-bit literals are sign-extended
  kF64,    // 32-bit literals are the high dword
  kPkF32,  // two floats in two dwords
  kMask,   // one bit per lane: two scalar registers of a wave64, one of a wave32
};
constexpr int Dwords(ValueType t) {
  return t == ValueType::kB64 || t == ValueType::kI64 || t == ValueType::kF64 ||
                 t == ValueType::kPkF32 || t == ValueType::kMask
             ? 2
             : 1;
}

/// Facts about an operation that its bind function needs, as data.
struct OpTraits {
  ValueType result = ValueType::kNone;
  ValueType args[4] = {};
  uint8_t arg_count = 0;
  bool second_mask = false;  // a lane mask is the second result
  uint8_t dwords = 0;        // size of a memory instruction's data operand
  uint32_t flags = 0;        // meaning is the bind function's
};

/// One mnemonic (without encoding suffix), on some targets: a mnemonic that means something else on
/// another target has another entry.
struct Binding {
  const char* mnemonic;
  OpClass op_class;
  BindFn bind;
  ExecFn exec;
  OpTraits traits = {};
  uint8_t targets = kAllTargets;  // set of TargetBit
};

struct BindingTable {
  const Binding* entries;
  size_t size;
};
struct TableList {
  const BindingTable* tables;
  size_t size;
};

}  // namespace gridwise::sim
