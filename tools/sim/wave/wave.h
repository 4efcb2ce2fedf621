// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tools/sim/wave/registers.h"

namespace gridwise::sim {

class Memory;
class Program;
struct InstructionFacts;
struct Uop;
struct Wave;

/// Why a wave stopped executing.
enum class WaveState : uint8_t {
  kReady,    // can run
  kBarrier,  // waits for a barrier; pc is the micro-op after the instruction
  kEnded,    // s_endpgm
  kFaulted,  // see Wave::fault
};

/// What memory an access is to. Fault::address is an address in device memory, or an offset into
/// LDS or the lane's scratch.
enum class AddressSpace : uint8_t { kGlobal, kLds, kScratch };

/// Addresses [begin, end) of one allocation.
struct MemoryRange {
  uint64_t begin, end;
};

/// What a handler leaves behind when an instruction cannot be executed. `what` is a sentence
/// without a final stop and has static storage; the dispatcher adds kernel, pc, text, workgroup,
/// wave, lane, and what is known about the address.
struct Fault {
  const char* what = nullptr;
  const Uop* uop = nullptr;
  int lane = -1;         // -1: the whole wave
  uint64_t address = 0;  // valid if has_address
  uint32_t bytes = 0;    // size of the access at address
  bool has_address = false;
  AddressSpace space = AddressSpace::kGlobal;
};

/// Execution counts of one host thread, as differences: every straight run of instructions [first,
/// last] that was executed adds 1 at first and subtracts 1 at last + 1, so that a prefix sum counts
/// each instruction at the cost of its branches.
struct Profile {
  int64_t* differences = nullptr;
  uint32_t size = 0;
};

/// What probes are told of an instruction's accesses, before they happen: lane l of `lanes` touches
/// `bytes` bytes at base + offset[l]. Those are host addresses, of LDS too (from Wave::lds on),
/// except for scratch: offsets in the lane's own space.
struct MemoryAccess {
  AddressSpace space;
  uint32_t bytes;
  bool reads, writes;
  uint64_t base;
  const uint32_t* offset;
  uint64_t lanes;
};

/// Global wave sync's operations: of a barrier, and of a semaphore.
enum class WaveSyncOperation : uint8_t { kInit, kBarrier, kGive, kGiveMany, kTake, kReleaseAll };

/// The architectural state of one wave and what its handlers need of their surroundings. Plain
/// data: handlers are compiled several times for different x86 levels, so this header must not
/// define inline functions that could be merged across levels; the accessors below are forced
/// inline for that reason.
struct Wave {
  alignas(64) uint32_t v[kVectorRegisters + kTempRows][kLanes];
  alignas(64) uint32_t s[kScalarRegisters];

  /// Bases that a Ref is relative to: [0] this wave, [1] the program's constant pool.
  std::byte* base[2];

  uint64_t all_lanes;  // EXEC with every lane on: ~0 for wave64, 2^32 - 1 for wave32
  uint32_t mode;       // the MODE register
  uint32_t mode_bits;  // those of kModeBits that the target has
  bool careful;        // mode differs from kUsualMode in them: the code is bound in another way
  bool skips_vector;   // VSKIP: the code is bound without vector and memory instructions
  uint32_t barrier_signals;          // how often the wave has signalled the workgroup's barrier
  uint32_t* highest_barrier_signal;  // the most of any wave of the workgroup; null: it is alone
  uint32_t sync_ticket;              // of the sync of waves (WaveSync) that it waits for
  uint32_t trap_status;
  WaveState state;
  int32_t branch_budget;  // taken branches left in this turn
  int32_t index_in_group;
  const Uop* pc;       // the next micro-op to execute
  uint64_t lane_mask;  // lanes that a DPP operand is valid for; set and used within one instruction

  Program* program;
  /// Where to go on at an address (s_setpc, s_swappc, a change of `careful` or `skips_vector`);
  /// null after it has recorded a fault. Profile grows with the program.
  const Uop* (*enter)(Wave&, const Uop&, uint64_t pc);
  /// The wave interrupts the host, which serves it. Null, or the sentence of a fault; null itself
  /// where nobody listens.
  const char* (*interrupt)(Wave&);
  /// What s_get_barrier_state gives for the workgroup's barrier.
  uint32_t (*barrier_state)(Wave&);
  /// Does an operation of global wave sync; false: the wave has to wait, and asks again. Null where
  /// there is none.
  bool (*sync_waves)(Wave&, WaveSyncOperation, uint32_t resource, uint32_t value);
  Profile* profile;
  uint32_t run_start;  // first instruction of the straight run being executed

  Memory* memory;
  MemoryRange recent[4];  // allocations that global accesses hit last; empty at start
  uint32_t recent_next;   // entry of `recent` to replace next

  std::byte* lds;  // the workgroup's LDS
  uint32_t lds_bytes;
  uint32_t scratch_bytes;  // per lane
  std::byte* scratch;      // of this wave, swizzled: dword a of lane l is at (a * 64 + l) * 4

  uint32_t workgroup_id[3];
  void* workgroup;  // the Workgroup that runs this wave

  // What watches the wave (machine/launch_probe.h). Null where nobody does.

  /// Called before each instruction of code that is bound for it (CodeView::steps), `first`
  /// being its first micro-op. False: the wave stops there.
  bool (*before)(Wave&, const InstructionFacts&, const Uop* first);
  /// Whatever touches memory calls it (Observe in isa/exec/memory/access.h).
  void (*observe)(Wave&, const Uop&, const MemoryAccess&);
  /// Told of the straight runs of instructions that `profile` counts, [first, last].
  void (*ran)(Wave&, uint32_t first, uint32_t last);
  /// Told of an access to LDS that ends outside of what the workgroup has, with `fault` describing
  /// it; the access is then done as hardware does it, and is no fault.
  void (*outside_lds)(Wave&);
  /// Told of an instruction that does, on this occasion, what public sources leave open.
  void (*not_known)(Wave&, const Uop&);
  Fault fault;
};

#define GRIDWISE_SIM_INLINE inline __attribute__((always_inline))

/// 64-bit value of the scalar registers index, index + 1.
GRIDWISE_SIM_INLINE uint64_t Scalar64(const Wave& w, int index) {
  uint64_t value;
  std::memcpy(&value, &w.s[index], sizeof(value));
  return value;
}

GRIDWISE_SIM_INLINE void SetScalar64(Wave& w, int index, uint64_t value) {
  std::memcpy(&w.s[index], &value, sizeof(value));
}

GRIDWISE_SIM_INLINE uint64_t Exec(const Wave& w) { return Scalar64(w, kExecLo); }

}  // namespace gridwise::sim
