// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/sim/check/byte_shadow.h"
#include "tools/sim/check/register_shadow.h"
#include "tools/sim/check/reporter.h"
#include "tools/sim/check/sampler.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// Origins of one launch, one for each instruction that undefined bits passed.
class LaunchOrigins {
 public:
  /// Memory that was never written, which `facts` reads.
  uint32_t Read(const InstructionFacts& facts, AddressSpace space, const std::string& where,
                const Reporter& reporter);
  /// Undefined bits that `facts` stores to device memory. `whole`: all that it stores is undefined.
  uint32_t Stored(const InstructionFacts& facts, uint32_t value, bool whole, int lane,
                  const Reporter& reporter);

 private:
  std::map<std::tuple<const InstructionFacts*, uint32_t, bool>, uint32_t> known_;
};

/// Tracks undefined values of one wave, as Valgrind's Memcheck does. Every bit of registers, LDS,
/// scratch and device memory is defined or not, and instructions pass that on (Sampler). Undefined
/// bits may be copied, computed with and thrown away. They are reported when they decide something:
/// an address, a branch or EXEC, a watched output, memory that the host reads.
class UninitTracker {
 public:
  /// `scalars` is the number of scalar registers that are set at the start, `lds` the workgroup's.
  UninitTracker(Wave& wave, int scalars, ByteShadow& lds, LaunchOrigins& origins);

  /// Before an instruction; `first` is its first micro-op.
  void Before(const InstructionFacts& facts, const Uop* first, Reporter& reporter);
  /// During the instruction, for its accesses to memory. `watched`: the output must be defined.
  /// `observed`: how many bytes of each lane have been.
  void Observe(const InstructionFacts& facts, const MemoryAccess& access,
               const std::array<uint8_t, kLanes>& observed, bool watched, Reporter& reporter);

 private:  /// Where an access goes: an offset of LDS or scratch, or an address.
  struct Place {
    AddressSpace space;
    uint64_t at;
  };

  void CheckAddress(const InstructionFacts& facts, Reporter& reporter);
  void CheckFlow(const InstructionFacts& facts, Reporter& reporter);
  void BeginMemory(const InstructionFacts& facts);
  void Compute(const InstructionFacts& facts, Reporter& reporter);
  void Relocate(const InstructionFacts& facts);
  void Commit(const InstructionFacts& facts, const Sampler::Differences& differences,
              Reporter& reporter);
  uint32_t OriginFor(int reg, int lane) const;

  void Load(const InstructionFacts& facts, const MemoryAccess& access, const Reporter& reporter);
  void LoadUndefined(const InstructionFacts& facts, std::span<const UndefinedByte> bytes,
                     const std::array<uint32_t, kLanes>& origins);
  void LoadToLds(const MemoryAccess& access, const ShadowBytes& shadow, int lane);
  void Store(const InstructionFacts& facts, const MemoryAccess& access, bool watched,
             Reporter& reporter);
  void Update(const InstructionFacts& facts, const MemoryAccess& access, Reporter& reporter);
  ShadowBytes StoredBytes(const InstructionFacts& facts, int lane, uint32_t bytes) const;

  Place PlaceOf(const MemoryAccess& access, int lane) const;
  std::byte* HostByte(const Place& place, int lane, uint32_t i) const;
  void LoadShadow(const Place& place, int lane, uint32_t bytes, ShadowBytes& out);
  void StoreShadow(const InstructionFacts& facts, const Place& place, int lane, uint32_t bytes,
                   const ShadowBytes& shadow, const Reporter& reporter);
  uint32_t ScratchOffset(uint64_t address, int lane) const;

  Wave& wave_;
  ByteShadow& lds_;
  ByteShadow scratch_;
  LaunchOrigins& origins_;
  RegisterShadow registers_;
  bool gpr_index_mode_ = false;
  const Uop* first_ = nullptr;                      // the instruction's first micro-op
  std::vector<uint16_t> reads_, writes_, touched_;  // the instruction's registers, without EXEC
  // State of the memory instruction that is being executed.
  std::array<uint8_t, kLanes> done_ = {};         // bytes of each lane that were observed
  std::array<uint32_t, kLanes> lds_target_ = {};  // where a load to LDS writes
  std::vector<std::pair<uint16_t, std::array<uint32_t, kLanes>>> address_rows_;  // it overwrites
  bool update_undefined_ = false;  // an atomic's operand is
  uint32_t update_origin_ = 0;
};

}  // namespace gridwise::sim
