// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sim/isa/facts/hazard_facts.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/isa/text/operand.h"

namespace gridwise::sim {

/// Counters of outstanding operations. gfx9 and gfx11 count scalar loads together with LDS
/// (lgkmcnt), gfx9 counts stores together with loads (vmcnt).
enum class WaitCounter : uint8_t { kLoad, kStore, kLds, kScalar };
inline constexpr int kWaitCounters = 4;
/// A limit that waits for nothing.
inline constexpr int kNoLimit = 255;

/// What makes instructions' results come back in order: those of one order do among themselves.
enum class Order : uint8_t { kNone, kVector, kLds };

/// A matrix instruction: MFMA, SMFMAC. Passes of 4 clocks, LLVM's scheduling model.
struct MatrixFacts {
  int passes = 0;  // 0: none, or one of RDNA
  bool xdl = false;
  bool f64 = false;
  int rows = 0;  // rows of D per block
  int blocks = 1;
};

/// What check mode knows of an instruction before it is executed.
struct InstructionFacts {
  uint32_t index = 0;  // in its Program
  uint64_t pc = 0;
  Instruction parsed;  // empty where the text is not understood (its execution faults)
  std::string_view mnemonic;
  std::vector<uint16_t> reads, writes;

  bool valu = false, salu = false, trans = false, dot = false, dpp = false;
  bool vmem = false, flat = false, lds = false, smem = false;  // flat: may be any address space
  bool load = false, store = false, atomic = false, to_lds = false;
  bool barrier_signal = false, barrier_wait = false, ends = false;
  bool compares = false;      // compare-and-swap
  bool polls = false;         // a load in a loop that waits for memory to change
  bool device_scope = false;  // a memory instruction with cache policy of an atomic access
  int wait_states = 1;

  /// Registers of a memory instruction: what its address is made of, what it stores (in order),
  /// what it loads.
  std::vector<uint16_t> address, data, loaded;
  /// The bits of `loaded` that change: half of them for ..._d16 and ..._d16_hi.
  uint32_t loaded_bits = ~0u;
  /// The bits of `data` that are stored: half of them for stores of 8 and 16 bits.
  uint32_t stored_bits = ~0u;
  bool memory = false;      // loads, stores or updates memory, LDS or scratch
  bool cross_lane = false;  // results depend on other lanes than their own
  bool control = false;     // does something else than to write registers
  bool freezes = false;     // moves a register onto itself
  /// Operands that are relative to M0 (bit 0: the result, bit 1: the source).
  uint8_t relative = 0;

  /// Counters it is outstanding on (bit per WaitCounter), and in which order it comes back there.
  uint8_t counters = 0;
  Order order = Order::kNone;
  /// Limits that it waits for.
  uint8_t limits[kWaitCounters] = {kNoLimit, kNoLimit, kNoLimit, kNoLimit};
  bool waits = false;

  MatrixFacts matrix;
  RegisterRange result, a, b, c;  // operands of matrix instructions
  RegisterRange sparse_indices;   // which elements of A a sparse one has
  bool wmma = false;              // a matrix instruction of RDNA
  HazardFacts hazard;

  bool data_high() const { return stored_bits == 0xffff0000u; }
};

/// Fills in `facts` for an instruction of `target` from its text and registers.
void FillFacts(TargetBit target, std::string_view text, const RegisterUses& uses,
               InstructionFacts& facts);

/// The last step of it: what rules about hazards ask for.
void FillHazardFacts(TargetBit target, std::string_view text, InstructionFacts& facts);

/// N of "name(N)" in an instruction's text.
std::optional<int> CountOf(std::string_view text, std::string_view name);

/// Where the direct branch `facts` leads; nothing if it is none.
std::optional<uint64_t> BranchTarget(const InstructionFacts& facts);

/// The wait that is missing, as the target writes it: "s_waitcnt vmcnt(3)".
std::string WaitText(TargetBit target, WaitCounter counter, int limit);

/// A distance from a kernel's entry, modulo 2^64, for messages: "+0x2c", or "-0x380c" of a function
/// that lies before the kernel.
std::string OffsetText(uint64_t offset);

/// "v5", "a3", "s7", "vcc_lo", "exec_hi", "m0", "scc".
std::string RegisterName(int reg);

}  // namespace gridwise::sim
