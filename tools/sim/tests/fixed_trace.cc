// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/tests/mutants.h"

// Whether what a kernel does depends on what it reads from memory, by following registers through
// all paths.

namespace gridwise::sim {
namespace {

using Registers = std::bitset<kAllRegisters>;

/// What is known before an instruction.
struct State {
  Registers data;         // may hold what was read from memory, or made of it, in active lanes
  Registers idle_data;    // vector registers that may do so in lanes that are not active
  Registers written;      // since the kernel began
  Registers full;         // SGPRs that hold EXEC as it was at the beginning
  Registers rest;         // SGPRs that hold what EXEC lacks of that
  bool full_exec = true;  // EXEC is as it was at the beginning

  /// Whether that changes anything.
  bool Merge(const State& other) {
    const State before = *this;
    data |= other.data;
    idle_data |= other.idle_data;
    written |= other.written;
    full &= other.full;
    rest &= other.rest;
    full_exec &= other.full_exec;
    return *this != before;
  }
  bool operator==(const State&) const = default;
};

/// How an instruction changes EXEC.
enum class ExecChange { kNone, kFewer, kAll, kUnknown };

bool Any(const std::vector<uint16_t>& registers, const Registers& of) {
  return std::any_of(registers.begin(), registers.end(), [&](uint16_t r) { return of[r]; });
}

/// Those of vector registers.
Registers OfLanes(const Registers& registers) { return registers >> kFirstVector << kFirstVector; }

bool IsExec(uint16_t reg) { return reg == kExecLo || reg == kExecLo + 1; }

class DataFlow {
 public:
  explicit DataFlow(const KernelCode& code) : code_(code), before_(code.instructions().size()) {}

  std::string Run() {
    std::set<size_t> work = {0};
    before_[0] = State{};
    while (!work.empty()) {
      const size_t i = *work.begin();
      work.erase(work.begin());
      const State after = After(i);
      for (const size_t next : code_.Next(i)) {
        const bool changed = !before_[next] || before_[next]->Merge(after);
        if (!before_[next]) before_[next] = after;
        if (changed) work.insert(next);
      }
    }
    for (size_t i = 0; i < before_.size(); ++i) {
      const std::string why = before_[i] ? Dependence(i) : "";
      if (!why.empty()) return why;
    }
    return "";
  }

 private:
  const InstructionFacts& FactsOf(size_t i) const { return code_.instructions()[i].facts; }

  /// Whether the results of instruction i may depend on data.
  bool MakesData(size_t i, const State& state) const {
    const InstructionFacts& facts = FactsOf(i);
    // Arguments and the dispatch are read through the registers that the kernel begins with.
    if (facts.smem) return facts.address.empty() || Any(facts.address, state.written);
    if (facts.load || facts.atomic) return true;
    if (absl::StartsWith(facts.mnemonic, "s_getreg") || absl::StrContains(facts.mnemonic, "time"))
      return true;
    return Any(facts.reads, facts.cross_lane ? state.data | state.idle_data : state.data);
  }

  ExecChange ChangeOf(size_t i, const State& state) const {
    const InstructionFacts& facts = FactsOf(i);
    if (std::none_of(facts.writes.begin(), facts.writes.end(), IsExec)) return ExecChange::kNone;
    const std::string_view name = facts.mnemonic;
    const bool reads_exec = std::any_of(facts.reads.begin(), facts.reads.end(), IsExec);
    if (absl::StartsWith(name, "s_and_saveexec") || absl::StartsWith(name, "v_cmpx") ||
        (reads_exec && absl::StartsWith(name, "s_and_b")))
      return ExecChange::kFewer;
    const bool moves = absl::StartsWith(name, "s_mov_b");
    if (moves && absl::EndsWith(code_.instructions()[i].text, ", -1")) return ExecChange::kAll;
    const bool adds = reads_exec && absl::StartsWith(name, "s_or_b");
    const bool all =
        ((moves || adds) && Any(facts.reads, state.full)) || (adds && Any(facts.reads, state.rest));
    return all ? ExecChange::kAll : ExecChange::kUnknown;
  }

  State After(size_t i) const {
    State state = *before_[i];
    const InstructionFacts& facts = FactsOf(i);
    const bool data = MakesData(i, state);
    const bool reads_exec = std::any_of(facts.reads.begin(), facts.reads.end(), IsExec);
    const bool keeps_full = state.full_exec && reads_exec &&
                            (absl::StrContains(facts.mnemonic, "saveexec") ||
                             absl::StartsWith(facts.mnemonic, "s_mov_b"));
    const bool makes_rest =
        reads_exec && absl::StartsWith(facts.mnemonic, "s_xor_b") && Any(facts.reads, state.full);
    const ExecChange change = ChangeOf(i, state);
    for (const uint16_t reg : facts.writes) {
      state.written[reg] = true;
      if (IsExec(reg)) continue;
      state.data[reg] = data;
      if (state.full_exec) state.idle_data[reg] = false;
      state.full[reg] = keeps_full && reg != kScc;
      state.rest[reg] = makes_rest && reg != kScc;
    }
    if (change == ExecChange::kNone) return state;
    state.rest.reset();
    state.full_exec = change == ExecChange::kAll;
    if (change != ExecChange::kFewer) state.data |= state.idle_data;
    state.idle_data =
        change == ExecChange::kAll ? Registers() : state.idle_data | OfLanes(state.data);
    return state;
  }

  /// How instruction i lets data decide what is executed, or which addresses are accessed.
  std::string Dependence(size_t i) const {
    const InstructionFacts& facts = FactsOf(i);
    const State& state = *before_[i];
    const auto because = [&](std::string_view what) {
      return absl::StrFormat("'%s' (pc +%#x) %s", code_.instructions()[i].text, facts.pc, what);
    };
    if (absl::StartsWith(facts.mnemonic, "s_swappc") ||
        absl::StartsWith(facts.mnemonic, "s_setpc") || absl::StartsWith(facts.mnemonic, "s_call"))
      return because("leaves the kernel");
    if (absl::StartsWith(facts.mnemonic, "s_cbranch") && Any(facts.reads, state.data))
      return because("branches by data");
    const bool writes_exec = std::any_of(facts.writes.begin(), facts.writes.end(), IsExec);
    if (writes_exec && MakesData(i, state)) return because("chooses lanes by data");
    if (facts.memory && (Any(facts.address, state.data) || state.data[kM0]))
      return because("has an address made of data");
    if (facts.relative != 0 && state.data[kM0]) return because("has an index made of data");
    return "";
  }

  const KernelCode& code_;
  std::vector<std::optional<State>> before_;  // nothing where no path comes to
};

}  // namespace

std::string DependsOnData(const KernelCode& code) { return DataFlow(code).Run(); }

}  // namespace gridwise::sim
