// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tools/sim/wave/wave.h"

/// Handlers live in the namespace gridwise::sim::GRIDWISE_SIM_LEVEL: their sources are compiled
/// once per x86 level (exec_level_v1, _v3, _v4), and the program binds those of the best level that
/// the machine has. Rules for such sources, those of isa/exec: include no library with inline
/// functions or templates that do not end up in that namespace (no Abseil, no containers), since
/// the linker would merge code of different levels; operators on plain data, <cmath> builtins and
/// intrinsics are fine. Binding (parsing operands, error messages) belongs to isa/bind, compiled
/// once.
#ifndef GRIDWISE_SIM_LEVEL
#define GRIDWISE_SIM_LEVEL exec_level_v1
#endif

namespace gridwise::sim {

/// Executes a micro-op and, with tail calls, those after it; returns the micro-op to go on with,
/// or null when the wave stopped (Wave::state and Wave::pc say why and where).
using ExecFn = const Uop* (*)(Wave&, const Uop*);

/// Where an operand lives: a byte offset from Wave::base[0] (registers) or Wave::base[1]
/// (constants, top bit set). A vector operand is a row of kLanes dwords; a constant in a vector
/// operand's place is a row with that value in every lane, so handlers do not tell the two apart.
/// Operand n of a 64-bit or wider vector operand is the nth row on.
struct Ref {
  uint32_t bits = 0;
};

inline constexpr uint32_t kConstantBit = 1u << 31;
/// The absent operand ("off"); never dereferenced.
inline constexpr Ref kNoRef{~0u};

constexpr bool operator==(Ref a, Ref b) { return a.bits == b.bits; }
constexpr Ref VectorRef(int reg) {
  return {static_cast<uint32_t>(offsetof(Wave, v) + static_cast<unsigned>(reg) * kRowBytes)};
}
constexpr Ref TempRef(int row) { return VectorRef(kVectorRegisters + row); }
constexpr Ref ScalarRef(int reg) {
  return {static_cast<uint32_t>(offsetof(Wave, s) + static_cast<unsigned>(reg) * sizeof(uint32_t))};
}
/// The operand that starts `rows` rows after `ref`.
constexpr Ref NextRow(Ref ref, int rows = 1) {
  return {ref.bits + static_cast<uint32_t>(rows) * static_cast<uint32_t>(kRowBytes)};
}

/// Instruction classes of reports.
enum class OpClass : uint8_t { kSalu, kValu, kMma, kLds, kVmem, kSmem, kBranch, kOther };
inline constexpr int kOpClasses = 8;
constexpr const char* Name(OpClass c) {
  constexpr const char* kNames[] = {"salu", "valu", "mma",    "lds",
                                    "vmem", "smem", "branch", "other"};
  return kNames[static_cast<int>(c)];
}

/// One step of the interpreter: 64 bytes, resolved once. An instruction becomes one micro-op, or
/// none (waits), or several (operand fetch, operation, result selection). What a field means is
/// between the bind function and the handler.
struct alignas(64) Uop {
  ExecFn exec = nullptr;
  Ref dst = {};
  Ref dst2 = {};  // second result: carry or compare mask
  Ref src[4] = {};
  uint32_t instruction = 0;  // index of the instruction in its Program: text, pc, class, count
  /// Offset, shift, lane, ...; of a direct branch, the instruction that it leads to, which may have
  /// no micro-op.
  int32_t imm = 0;
  uint64_t data = 0;  // masks, selector tables, further immediates
  uint64_t data2 = 0;
  const Uop* target = nullptr;  // where a direct branch goes
};
static_assert(sizeof(Uop) == 64);

/// Address of a vector operand's first row, or of a scalar operand.
GRIDWISE_SIM_INLINE uint32_t* Row(Wave& w, Ref ref) {
  return reinterpret_cast<uint32_t*>(w.base[ref.bits >> 31] + (ref.bits & ~kConstantBit));
}

/// 64-bit value of a scalar operand; a constant of a 64-bit scalar operand is bound as two
/// consecutive dwords.
GRIDWISE_SIM_INLINE uint64_t Read64(Wave& w, Ref ref) {
  uint64_t value;
  std::memcpy(&value, Row(w, ref), sizeof(value));
  return value;
}
GRIDWISE_SIM_INLINE void Write64(Wave& w, Ref ref, uint64_t value) {
  std::memcpy(Row(w, ref), &value, sizeof(value));
}

/// A lane mask: two scalar registers of a wave64, one of a wave32. A value that is written has no
/// bits outside Wave::all_lanes.
GRIDWISE_SIM_INLINE uint64_t ReadMask(Wave& w, Ref ref) { return Read64(w, ref) & w.all_lanes; }
GRIDWISE_SIM_INLINE void WriteMask(Wave& w, Ref ref, uint64_t value) {
  Write64(w, ref, (Read64(w, ref) & ~w.all_lanes) | value);
}

/// Stops the wave with a fault: `return RaiseFault(w, u, "reads outside LDS", lane, address,
/// bytes);` in a handler that returns bool. `what` must have static storage.
GRIDWISE_SIM_INLINE bool RaiseFault(Wave& w, const Uop& u, const char* what, int lane = -1) {
  w.fault.what = what;
  w.fault.uop = &u;
  w.fault.lane = lane;
  w.fault.has_address = false;
  return false;
}
GRIDWISE_SIM_INLINE bool RaiseFault(Wave& w, const Uop& u, const char* what, int lane,
                                    uint64_t address, uint32_t bytes,
                                    AddressSpace space = AddressSpace::kGlobal) {
  RaiseFault(w, u, what, lane);
  w.fault.space = space;
  w.fault.address = address;
  w.fault.bytes = bytes;
  w.fault.has_address = true;
  return false;
}

inline namespace GRIDWISE_SIM_LEVEL {

#if defined(__clang__)
#define GRIDWISE_SIM_MUSTTAIL [[clang::musttail]]
#else
#define GRIDWISE_SIM_MUSTTAIL
#endif

/// Makes an ExecFn of a handler. Handlers come in three forms:
///   void H(Wave&, const Uop&)        goes on with the next micro-op;
///   bool H(Wave&, const Uop&)        the same, or stops the wave if false (after RaiseFault);
///   const Uop* H(Wave&, const Uop&)  control flow: says what is next; null stops (state and pc are
///   set).
template <auto kHandler>
const Uop* Step(Wave& w, const Uop* u) {
  const Uop* next = u + 1;
  using Result = decltype(kHandler(w, *u));
  if constexpr (__is_same(Result, void)) {
    kHandler(w, *u);
  } else if constexpr (__is_same(Result, bool)) {
    if (!kHandler(w, *u)) [[unlikely]] {
      w.state = WaveState::kFaulted;
      return nullptr;
    }
  } else {
    next = kHandler(w, *u);
    if (next == nullptr) return nullptr;
  }
#if defined(__clang__)
  GRIDWISE_SIM_MUSTTAIL return next->exec(w, next);
#else
  return next;
#endif
}

}  // namespace GRIDWISE_SIM_LEVEL
}  // namespace gridwise::sim
