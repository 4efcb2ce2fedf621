// SPDX-License-Identifier: MIT
#include "tools/isa_report/main_loop.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace gridwise {
namespace {

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

/// Where a branch goes to; nothing for other instructions. Its operand counts words of 4 bytes from
/// the next instruction, in 16 bits.
std::optional<uint64_t> BranchTarget(const CodeLine& line) {
  if (Classify(line.text) != CodeClass::kBranch) return std::nullopt;
  int words = 0;
  if (!absl::SimpleAtoi(std::string_view(line.text).substr(line.text.find(' ') + 1), &words))
    return std::nullopt;
  return line.pc + line.bytes + 4 * static_cast<int64_t>(static_cast<int16_t>(words));
}

MainLoop CountLoop(std::span<const CodeLine> code, uint64_t begin, uint64_t end) {
  MainLoop loop = {.begin = begin, .end = end};
  for (const CodeLine& line : code) {
    if (line.pc < begin || line.pc >= end) continue;
    const CodeClass what = Classify(line.text);
    loop.matrix += what == CodeClass::kMatrix;
    loop.fma += what == CodeClass::kFma;
    loop.valu += what == CodeClass::kFma || what == CodeClass::kValu;
    loop.salu += what == CodeClass::kSalu;
    loop.lds += what == CodeClass::kLds;
    loop.vmem += what == CodeClass::kVmem;
  }
  return loop;
}

}  // namespace

CodeClass Classify(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(' '));
  if (StartsWithAny(name, {"v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"}))
    return CodeClass::kMatrix;
  if (name.starts_with("v_")) {
    const bool fma = absl::StrContains(text, "_fma_") || absl::StrContains(text, "_fmac_") ||
                     absl::StrContains(text, "_fmaak_") || absl::StrContains(text, "_fmamk_") ||
                     StartsWithAny(name, {"v_dot", "v_fma", "v_mad_mix", "v_mad_i32_i24"});
    return fma ? CodeClass::kFma : CodeClass::kValu;
  }
  if (StartsWithAny(name, {"ds_"})) return CodeClass::kLds;
  if (StartsWithAny(name, {"buffer_", "global_", "flat_", "scratch_", "tbuffer_"})) {
    return absl::StrContains(name, "_inv") || absl::StrContains(name, "_wb") ? CodeClass::kOther
                                                                             : CodeClass::kVmem;
  }
  if (StartsWithAny(name, {"s_load_", "s_buffer_load_"})) return CodeClass::kSmem;
  if (StartsWithAny(name, {"s_branch", "s_cbranch"})) return CodeClass::kBranch;
  if (StartsWithAny(name, {"s_wait", "s_nop", "s_barrier", "s_setprio", "s_delay_alu", "s_clause",
                           "s_sleep", "s_sched", "s_endpgm", "s_code_end", "s_sendmsg"}))
    return CodeClass::kOther;
  return name.starts_with("s_") ? CodeClass::kSalu : CodeClass::kOther;
}

std::optional<MainLoop> FindMainLoop(std::span<const CodeLine> code) {
  std::map<uint64_t, uint64_t> ends;  // where the loops end, by their first instruction
  for (const CodeLine& line : code) {
    const std::optional<uint64_t> target = BranchTarget(line);
    if (target && *target <= line.pc) {
      uint64_t& end = ends[*target];
      end = std::max(end, line.pc + line.bytes);
    }
  }
  std::vector<MainLoop> loops;
  for (const auto& [begin, end] : ends) loops.push_back(CountLoop(code, begin, end));
  const bool any_matrix =
      std::any_of(loops.begin(), loops.end(), [](const auto& loop) { return loop.has_matrix(); });
  const auto work = [&](const MainLoop& loop) { return any_matrix ? loop.matrix : loop.fma; };
  std::erase_if(loops, [&](const MainLoop& loop) { return work(loop) == 0; });
  const std::vector<MainLoop> all = loops;
  std::erase_if(loops, [&](const MainLoop& outer) {
    return std::any_of(all.begin(), all.end(), [&](const MainLoop& inner) {
      return outer.begin <= inner.begin && inner.end <= outer.end &&
             inner.end - inner.begin < outer.end - outer.begin;
    });
  });
  const auto best = std::min_element(loops.begin(), loops.end(), [&](const auto& a, const auto& b) {
    return std::tuple(-work(a), a.valu) < std::tuple(-work(b), b.valu);
  });
  if (best == loops.end()) return std::nullopt;
  return *best;
}

}  // namespace gridwise
