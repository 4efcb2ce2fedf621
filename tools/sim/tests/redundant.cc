// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "tools/sim/check/hazards.h"
#include "tools/sim/check/rdna_hazards.h"
#include "tools/sim/check/reporter.h"
#include "tools/sim/tests/mutants.h"

// Which mutants are redundant, by following all paths through a kernel.

namespace gridwise::sim {
namespace {

/// A memory instruction that may be outstanding: its counters, and how many of its order at least
/// were issued after it.
struct Pending {
  uint8_t counters = 0;
  std::array<int, kWaitCounters> behind = {};
};
/// By the instruction's number.
using Outstanding = std::map<size_t, Pending>;

Order OrderOn(const InstructionFacts& facts, int counter) {
  const bool on_lds = counter == static_cast<int>(WaitCounter::kLds);
  return facts.flat && !on_lds ? Order::kVector : facts.order;
}

bool MergeInto(Outstanding& into, const Outstanding& from) {
  bool changed = false;
  for (const auto& [producer, pending] : from) {
    const auto [known, is_new] = into.try_emplace(producer, pending);
    changed |= is_new;
    Pending& old = known->second;
    for (size_t c = 0; !is_new && c < kWaitCounters; ++c) {
      if ((pending.counters >> c & 1) == 0) continue;
      const bool had = (old.counters >> c & 1) != 0;
      if (had && old.behind[c] <= pending.behind[c]) continue;
      old.behind[c] = pending.behind[c];
      old.counters = static_cast<uint8_t>(old.counters | 1 << c);
      changed = true;
    }
  }
  return changed;
}

/// Follows outstanding memory instructions through a kernel.
class WaitFlow {
 public:
  /// What an instruction finds outstanding: instruction, register (or -1), memory instruction.
  using Findings = std::set<std::tuple<size_t, int, size_t>>;

  explicit WaitFlow(const KernelCode& code) : code_(code), before_(code.instructions().size()) {}

  Findings Run() {
    Follow();
    for (size_t i = 0; i < before_.size(); ++i) Look(i);
    return findings_;
  }

  /// What may be outstanding before each instruction.
  const std::vector<Outstanding>& Follow() {
    std::set<size_t> work = {0};
    std::vector<bool> seen(before_.size());
    while (!work.empty()) {
      const size_t i = *work.begin();
      work.erase(work.begin());
      seen[i] = true;
      const Outstanding after = After(i);
      for (const size_t next : code_.Next(i)) {
        if (MergeInto(before_[next], after) || !seen[next]) work.insert(next);
      }
    }
    return before_;
  }

 private:
  const InstructionFacts& FactsOf(size_t i) const { return code_.instructions()[i].facts; }

  void Wait(Outstanding& state, size_t c, int limit) const {
    const bool out_of_order =
        (code_.target() & kGfx9) != 0 &&
        std::any_of(state.begin(), state.end(), [&](const auto& entry) {
          return FactsOf(entry.first).flat && (entry.second.counters >> c & 1) != 0;
        });
    std::erase_if(state, [&](auto& entry) {
      Pending& pending = entry.second;
      if ((pending.counters >> c & 1) == 0) return false;
      const bool ordered =
          !out_of_order && OrderOn(FactsOf(entry.first), static_cast<int>(c)) != Order::kNone;
      if (ordered ? pending.behind[c] < limit : limit != 0) return false;
      pending.counters = static_cast<uint8_t>(pending.counters & ~(1 << c));
      return pending.counters == 0;
    });
  }

  Outstanding After(size_t i) const {
    Outstanding state = before_[i];
    const InstructionFacts& facts = FactsOf(i);
    for (size_t c = 0; c < kWaitCounters; ++c) {
      if (facts.waits && facts.limits[c] != kNoLimit) Wait(state, c, facts.limits[c]);
      if ((facts.counters >> c & 1) == 0) continue;
      for (auto& [producer, pending] : state) {
        if (OrderOn(FactsOf(producer), static_cast<int>(c)) == OrderOn(facts, static_cast<int>(c)))
          ++pending.behind[c];
      }
    }
    if (facts.counters != 0) state[i] = {facts.counters, {}};
    return state;
  }

  void Look(size_t i) {
    const InstructionFacts& facts = FactsOf(i);
    const bool synchronises =
        facts.barrier_wait || facts.barrier_signal || facts.atomic || facts.device_scope ||
        absl::StrContains(facts.mnemonic, "_inv") || absl::StrContains(facts.mnemonic, "_wb") ||
        absl::StartsWith(facts.mnemonic, "s_swappc") || absl::StartsWith(facts.mnemonic, "s_setpc");
    for (const auto& [producer, pending] : before_[i]) {
      const InstructionFacts& memory = FactsOf(producer);
      if (synchronises || (facts.lds && memory.to_lds)) findings_.insert({i, -1, producer});
      for (const std::vector<uint16_t>* used : {&facts.reads, &facts.writes}) {
        for (const uint16_t reg : *used) {
          if (std::find(memory.writes.begin(), memory.writes.end(), reg) != memory.writes.end())
            findings_.insert({i, reg, producer});
        }
      }
    }
  }

  const KernelCode& code_;
  std::vector<Outstanding> before_;
  Findings findings_;
};

/// Sequences of instructions around number `i` that are `length` wait states long, or end where the
/// kernel does; nothing if there are too many.
std::optional<std::vector<std::vector<size_t>>> PathsFrom(
    const std::vector<std::vector<size_t>>& next, const KernelCode& code, size_t i, int length) {
  constexpr size_t kMax = 200;
  std::vector<std::vector<size_t>> paths;
  std::vector<std::pair<std::vector<size_t>, int>> open = {{{i}, length}};
  while (!open.empty()) {
    auto [path, left] = std::move(open.back());
    open.pop_back();
    const std::vector<size_t>& behind = next[path.back()];
    if (left <= 0 || behind.empty()) {
      paths.push_back(std::move(path));
    } else {
      for (const size_t n : behind) {
        open.emplace_back(path, left - code.instructions()[n].facts.wait_states);
        open.back().first.push_back(n);
      }
    }
    if (paths.size() + open.size() > kMax) return std::nullopt;
  }
  return paths;
}

/// The edges of the kernel, forwards and backwards.
struct Edges {
  explicit Edges(const KernelCode& code) : next(code.instructions().size()), previous(next.size()) {
    for (size_t i = 0; i < next.size(); ++i) {
      next[i] = code.Next(i);
      for (const size_t n : next[i]) previous[n].push_back(i);
    }
  }
  std::vector<std::vector<size_t>> next, previous;
};

/// Notes hazards, by the instruction that is under way.
class HazardNotes final : public Reporter {
 public:
  void Report(Category, std::string what, std::string, int, std::optional<uint64_t>) override {
    notes.insert({at, std::move(what)});
  }
  Finding Make(Category, std::string, std::string, int, std::optional<uint64_t>) const override {
    return {};
  }
  std::string Describe(uint32_t) const override { return ""; }

  size_t at = 0;
  std::set<std::pair<size_t, std::string>> notes;
};

/// Whether EXEC is 0 where a path goes on from instruction `i` to `next`: that is what the branch
/// asks.
bool LeavesNoLane(const KernelCode& code, size_t i, size_t next) {
  const std::string_view name = code.instructions()[i].facts.mnemonic;
  return name == (next == i + 1 ? "s_cbranch_execnz" : "s_cbranch_execz");
}

/// Whether the vector instruction does nothing while EXEC is 0.
bool NeedsLanes(const InstructionFacts& facts) {
  const bool scalar = !facts.hazard.scalar_writes.empty() || facts.hazard.writes_lane;
  return facts.valu && facts.matrix.passes == 0 && !facts.wmma && !scalar;
}

bool WritesExec(const InstructionFacts& facts) {
  return std::any_of(facts.writes.begin(), facts.writes.end(),
                     [](uint16_t reg) { return reg == kExecLo || reg == kExecLo + 1; });
}

/// The number in a path of the last instruction before its `n`th one that writes `reg`.
std::optional<size_t> LastWriter(const KernelCode& code, const std::vector<size_t>& path, size_t n,
                                 uint16_t reg) {
  while (n-- > 0) {
    const std::vector<uint16_t>& writes = code.instructions()[path[n]].facts.writes;
    if (std::find(writes.begin(), writes.end(), reg) != writes.end()) return n;
  }
  return std::nullopt;
}

/// Whether a path falls through `s_cbranch_vccz` at `n` although VCC is 0 there, which it is after
///
///   s_mov_b64 FLAG, 0
///   s_and_b64 vcc, exec, FLAG
///
/// Compilers branch so where values of a flag come from several blocks, and keep both edges.
bool ContradictsFlag(const KernelCode& code, const std::vector<size_t>& path, size_t n) {
  const auto at = [&](size_t i) -> const KernelCode::Instruction& {
    return code.instructions()[path[i]];
  };
  if (at(n).facts.mnemonic != "s_cbranch_vccz" || path[n + 1] != path[n] + 1) return false;
  const std::optional<size_t> combines = LastWriter(code, path, n, kVccLo);
  if (!combines || combines != LastWriter(code, path, n, kVccLo + 1)) return false;
  if (at(*combines).facts.mnemonic != "s_and_b64") return false;
  bool has_flag = false;  // `s_and_b64 vcc, exec, -1` has none
  for (const uint16_t reg : at(*combines).facts.reads) {
    if (reg == kExecLo || reg == kExecLo + 1) continue;
    has_flag = true;
    const std::optional<size_t> sets = LastWriter(code, path, *combines, reg);
    if (!sets || !absl::StartsWith(at(*sets).text, "s_mov_b64") ||
        !absl::EndsWith(at(*sets).text, ", 0"))
      return false;
  }
  return has_flag;
}

std::set<std::pair<size_t, std::string>> HazardsOn(const std::vector<size_t>& path,
                                                   const KernelCode& code) {
  const std::unique_ptr<HazardTracker> tracker =
      MakeHazardTracker(code.target(), (code.target() & kGfx9) != 0);
  HazardNotes notes;
  std::map<int, InstructionFacts> idle;  // by how long they take; trackers may point to them
  bool no_lane = false;
  for (size_t n = 0; n < path.size(); ++n) {
    const InstructionFacts& facts = code.instructions()[path[n]].facts;
    notes.at = path[n];
    if (no_lane && NeedsLanes(facts)) {
      InstructionFacts& nothing = idle[facts.wait_states];
      nothing.wait_states = facts.wait_states;
      tracker->Before(nothing, notes);
    } else {
      tracker->Before(facts, notes);
    }
    no_lane = no_lane && !WritesExec(facts);
    if (n + 1 == path.size()) break;
    if (ContradictsFlag(code, path, n)) return {};  // nothing takes this path
    if (LeavesNoLane(code, path[n], path[n + 1])) no_lane = true;
  }
  return notes.notes;
}

constexpr int kLongest = 20;  // wait states that any rule asks for, and one

bool HasNoHazard(size_t site, const KernelCode& code, const KernelCode& mutated) {
  const Edges edges(code);
  const auto before = PathsFrom(edges.previous, mutated, site, kLongest);
  const auto behind = PathsFrom(edges.next, mutated, site, kLongest);
  if (!before || !behind) return false;
  for (const std::vector<size_t>& start : *before) {
    for (const std::vector<size_t>& end : *behind) {
      std::vector<size_t> path(start.rbegin(), start.rend());
      path.insert(path.end(), end.begin() + 1, end.end());
      if (HazardsOn(path, code) != HazardsOn(path, mutated)) return false;
    }
  }
  return true;
}

/// What gfx12's rule about SGPRs, which looks back without limit, finds on any path.
std::set<std::pair<size_t, std::string>> ScalarHazards(const KernelCode& code) {
  std::vector<std::optional<Gfx12Hazards>> before(code.instructions().size());
  before[0].emplace(/*wave64=*/false);
  HazardNotes notes;
  std::set<size_t> work = {0};
  while (!work.empty()) {
    notes.at = *work.begin();
    work.erase(work.begin());
    Gfx12Hazards after = *before[notes.at];
    after.Before(code.instructions()[notes.at].facts, notes);
    for (const size_t next : code.Next(notes.at)) {
      const bool is_new = !before[next].has_value();
      if (is_new) before[next].emplace(after);
      if (is_new || before[next]->MergeScalars(after)) work.insert(next);
    }
  }
  return notes.notes;
}

bool HasNoScalarHazard(const KernelCode& code, const KernelCode& mutated) {
  const auto allowed = ScalarHazards(code), found = ScalarHazards(mutated);
  return std::includes(allowed.begin(), allowed.end(), found.begin(), found.end());
}

/// Whether no path from `site` comes to a memory access before it comes to a barrier or ends.
bool ReachesNoAccess(size_t site, const std::vector<std::vector<size_t>>& next,
                     const KernelCode& code) {
  std::vector<size_t> work = next[site];
  std::set<size_t> seen(work.begin(), work.end());
  while (!work.empty()) {
    const size_t i = work.back();
    work.pop_back();
    const InstructionFacts& facts = code.instructions()[i].facts;
    if (facts.vmem || facts.lds || absl::StartsWith(facts.mnemonic, "s_swappc")) return false;
    if (facts.barrier_wait) continue;
    for (const size_t n : next[i]) {
      if (seen.insert(n).second) work.push_back(n);
    }
  }
  return true;
}

/// Whether a path from `site` comes to an instruction that may read through a vector cache.
bool ReachesLoad(size_t site, const KernelCode& code) {
  std::vector<size_t> work = code.Next(site);
  std::set<size_t> seen(work.begin(), work.end());
  while (!work.empty()) {
    const size_t i = work.back();
    work.pop_back();
    const InstructionFacts& facts = code.instructions()[i].facts;
    if ((facts.vmem && (facts.load || facts.atomic)) ||
        absl::StartsWith(facts.mnemonic, "s_swappc"))
      return true;
    for (const size_t n : code.Next(i)) {
      if (seen.insert(n).second) work.push_back(n);
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> FindHazards(const KernelCode& code) {
  const Edges edges(code);
  const std::vector<size_t> leaders = code.Leaders();
  std::set<std::pair<size_t, std::string>> all;
  for (size_t l = 0; l < leaders.size(); ++l) {
    const size_t end = l + 1 < leaders.size() ? leaders[l + 1] : code.instructions().size();
    // Where there are too many paths to a block the one that falls through to it stands for them.
    const auto before = PathsFrom(edges.previous, code, leaders[l], kLongest)
                            .value_or(std::vector<std::vector<size_t>>{{leaders[l]}});
    for (const std::vector<size_t>& start : before) {
      std::vector<size_t> path(start.rbegin(), start.rend());
      for (size_t i = leaders[l] + 1; i < end; ++i) path.push_back(i);
      all.merge(HazardsOn(path, code));
    }
  }
  std::vector<std::string> hazards;
  for (const auto& [i, what] : all) {
    const KernelCode::Instruction& instruction = code.instructions()[i];
    hazards.push_back(
        absl::StrFormat("'%s' (pc +%#x): %s", instruction.text, instruction.facts.pc, what));
  }
  return hazards;
}

std::string WhyRedundant(const Mutant& mutant, const KernelCode& code, const KernelCode& mutated) {
  const InstructionFacts& facts = code.instructions()[mutant.instruction].facts;
  if (facts.barrier_wait) {
    const Edges edges(code);
    if (ReachesNoAccess(mutant.instruction, edges.next, code))
      return "no memory access follows, up to the next barrier or the end";
    if (ReachesNoAccess(mutant.instruction, edges.previous, code))
      return "no memory access precedes it, back to the barrier before or the start";
    return "";
  }
  if (facts.waits) {
    const WaitFlow::Findings allowed = WaitFlow(code).Run(), found = WaitFlow(mutated).Run();
    const bool same = std::includes(allowed.begin(), allowed.end(), found.begin(), found.end());
    return same ? "no instruction finds more memory instructions outstanding, on any path" : "";
  }
  const bool of_scalars = facts.hazard.drains != 0 && code.target() == kGfx1201;
  if (of_scalars && !HasNoScalarHazard(code, mutated)) return "";
  return HasNoHazard(mutant.instruction, code, mutated) ? "no hazard on any path around it" : "";
}

bool WaitsForCaches(const Mutant& mutant, const KernelCode& code, const KernelCode& mutated) {
  const size_t site = mutant.instruction;
  const InstructionFacts& facts = code.instructions()[site].facts;
  if (!facts.waits || !ReachesLoad(site, code)) return false;
  const InstructionFacts& changed = mutated.instructions()[site].facts;
  const auto loses = [&](const Pending& pending) {
    for (size_t c = 0; c < kWaitCounters; ++c) {
      if (facts.limits[c] != changed.limits[c] && (pending.counters >> c & 1) != 0) return true;
    }
    return false;
  };
  WaitFlow flow(code);
  const Outstanding& before = flow.Follow()[site];
  return std::any_of(before.begin(), before.end(), [&](const auto& entry) {
    const std::string_view name = code.instructions()[entry.first].facts.mnemonic;
    return loses(entry.second) &&
           (absl::StrContains(name, "_inv") || absl::StrContains(name, "_wb"));
  });
}

}  // namespace gridwise::sim
