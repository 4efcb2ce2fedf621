// SPDX-License-Identifier: MIT
#include "tools/sim/isa/facts/polls.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace gridwise::sim {
namespace {

bool Has(const std::vector<uint16_t>& registers, uint16_t reg) {
  return std::find(registers.begin(), registers.end(), reg) != registers.end();
}

/// Whether an address of `load` is one of `written`.
bool Moves(const InstructionFacts& load, const std::vector<uint16_t>& written) {
  return std::any_of(load.address.begin(), load.address.end(),
                     [&](uint16_t reg) { return Has(written, reg); });
}

/// Marks the same load a little ahead of instruction `loop`.
void MarkPeeled(std::span<InstructionFacts> function, size_t loop, const InstructionFacts& load) {
  constexpr size_t kAhead = 12;  // a wait, a comparison, a branch around the loop
  for (size_t i = loop; i > 0 && loop - i < kAhead; --i) {
    InstructionFacts& facts = function[i - 1];
    if (facts.parsed.text == load.parsed.text) facts.polls = true;
    if (facts.polls || facts.store || facts.atomic || facts.barrier_wait ||
        Moves(load, facts.writes)) {
      return;
    }
  }
}

/// The loop that ends with the last instruction of `function` and begins at the address `begin`.
void MarkLoop(std::span<InstructionFacts> function, uint64_t begin) {
  std::vector<uint16_t> written;
  size_t first = function.size();
  while (first > 0 && function[first - 1].pc >= begin) {
    const InstructionFacts& facts = function[--first];
    const bool calls =
        facts.mnemonic.starts_with("s_swappc") || facts.mnemonic.starts_with("s_call");
    if (facts.store || facts.atomic || facts.to_lds || facts.barrier_wait || calls) return;
    written.insert(written.end(), facts.writes.begin(), facts.writes.end());
  }
  for (InstructionFacts& facts : function.subspan(first))
    facts.polls = facts.memory && facts.load && !Moves(facts, written);
  for (const InstructionFacts& facts : function.subspan(first)) {
    if (facts.polls) MarkPeeled(function, first, facts);
  }
}

}  // namespace

void MarkPolls(std::span<InstructionFacts> function) {
  for (size_t i = 0; i < function.size(); ++i) {
    const std::optional<uint64_t> to = BranchTarget(function[i]);
    if (to && *to <= function[i].pc) MarkLoop(function.first(i + 1), *to);
  }
}

}  // namespace gridwise::sim
