// SPDX-License-Identifier: MIT
#include "tools/sim/isa/exec/coverage.h"

#include <algorithm>
#include <memory>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/exec/handlers.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/llvm_target.h"
#include "tools/sim/isa/text/rename.h"

namespace gridwise::sim {
namespace {

/// The mnemonic of `printed`, an instruction's text up to its first operand, without the suffix of
/// an encoding; empty for LLVM's own pseudo instructions.
std::string_view PlainMnemonic(std::string_view printed) {
  printed = printed.substr(0, printed.find_first_of(" \t"));
  for (const std::string_view suffix :
       {"_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa", "_pad_s_nop", "_gfx9"}) {
    if (absl::ConsumeSuffix(&printed, suffix)) break;
  }
  const bool plain = printed.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
                         std::string_view::npos &&
                     absl::StrContains(printed, '_');
  return plain ? printed : "";
}

/// gfx90a's spelling of what gfx942 calls v_mfma_f32_16x16x16_f16, which the assembler takes as
/// well: without an underscore between the shape and the type. And half an instruction.
bool IsOtherSpelling(std::string_view mnemonic, std::string_view gfx) {
  if (!absl::StartsWith(mnemonic, "v_mfma_") || gfx == "gfx90a") return false;
  const size_t end = mnemonic.find_first_not_of("0123456789x", mnemonic.find('x'));
  return absl::StartsWith(mnemonic, "v_mfma_ld_scale") ||
         (end != std::string_view::npos && mnemonic[end] != '_');
}

/// Whether `opcode`, LLVM's name of one encoding of an instruction, may be an encoding of `gfx`: it
/// ends in the generation. The assembler takes the names of other generations as well where it
/// knows how the instruction is called now.
bool IsOfGeneration(std::string_view opcode, std::string_view gfx) {
  const bool gfx9 = absl::StartsWith(gfx, "gfx9");
  for (const std::string_view before : {"_si", "_ci"}) {
    if (absl::EndsWith(opcode, before)) return false;
  }
  if (absl::EndsWith(opcode, "_vi")) return gfx9;
  return absl::StrContains(opcode, absl::StrCat("_", gfx.substr(0, gfx9 ? 4 : 5))) ||
         !absl::StrContains(opcode, "_gfx");
}

/// The mnemonics of `gfx` and some others.
std::set<std::string> Candidates(const LlvmTarget& llvm, std::string_view gfx) {
  std::set<std::string> all;
  for (unsigned opcode = 0; opcode < llvm.instructions->getNumOpcodes(); ++opcode) {
    if (!IsOfGeneration(std::string_view(llvm.instructions->getName(opcode)), gfx)) continue;
    llvm::MCInst instruction;
    instruction.setOpcode(opcode);
    const char* const printed = llvm.printer->getMnemonic(instruction).first;
    if (printed == nullptr) continue;
    if (const std::string_view name = PlainMnemonic(printed);
        !name.empty() && !IsOtherSpelling(name, gfx))
      all.emplace(name);
  }
  return all;
}

/// Whether the assembler's message about a line with only a mnemonic says that there is no such
/// instruction. Otherwise it says that operands are missing.
bool SaysThereIsNone(std::string_view message) {
  return absl::StartsWith(message, "instruction not supported on this GPU") ||
         absl::StartsWith(message, "invalid instruction") ||
         absl::StrContains(message, "variant of this instruction is not supported");
}

struct Category {
  std::string_view name;
  std::vector<std::string_view> prefixes;
};

std::string_view Categorize(std::string_view mnemonic) {
  static const auto* const kCategories = new std::vector<Category>{
      {"graphics",
       {"image_", "v_interp", "lds_param", "lds_direct", "ds_param", "ds_direct", "exp_", "ds_bvh",
        "ds_add_gs", "ds_sub_gs", "ds_ordered", "global_atomic_ordered", "v_cube",
        "s_endpgm_ordered"}},
      {"scalar scratch, scalar stores and scalar atomics",
       {"s_scratch", "s_store", "s_buffer_store", "s_atomic", "s_buffer_atomic"}},
      {"traps and debugging",
       {"s_trap", "s_rfe", "s_cbranch_cdbg", "s_sethalt", "s_setkill", "s_ttrace", "s_wait_event",
        "s_endpgm_saved", "s_set_trap", "s_code_end", "s_incperf", "s_decperf", "v_clrexcp",
        "s_restore", "s_wakeup"}},
      {"matrices", {"v_mfma", "v_smfmac", "v_wmma", "v_swmmac", "v_dot", "v_accvgpr"}},
      {"scalar", {"s_"}},
      {"vector", {"v_"}},
      {"LDS", {"ds_"}},
      {"vector memory", {""}},
  };
  for (const Category& category : *kCategories) {
    for (const std::string_view prefix : category.prefixes) {
      if (absl::StartsWith(mnemonic, prefix)) return category.name;
    }
  }
  return "";
}

bool HasHandler(std::string_view mnemonic, TargetBit target) {
  const Handlers& handlers = BestHandlers();
  if (handlers.Find(CanonicalName(mnemonic, target), target) != nullptr) return true;
  // As Binder::BindOne: a compare that writes EXEC is a variant of one that does not.
  return absl::ConsumePrefix(&mnemonic, "v_cmpx_") &&
         handlers.Find(CanonicalName(absl::StrCat("v_cmp_", mnemonic), target), target) != nullptr;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> Mnemonics(std::string_view gfx) {
  const absl::StatusOr<std::unique_ptr<LlvmTarget>> created = LlvmTarget::Create(gfx);
  if (!created.ok()) return created.status();
  const LlvmTarget& llvm = **created;
  // The assembler is given every mnemonic on a line of its own.
  const std::set<std::string> all = Candidates(llvm, gfx);
  std::set<std::string> known = all;
  struct Diagnostics {
    std::vector<std::string> lines;
    std::set<std::string>* known;
  } diagnostics{{all.begin(), all.end()}, &known};
  llvm::SourceMgr sources;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic& diagnostic, void* context) {
        auto& [lines, left] = *static_cast<Diagnostics*>(context);
        const auto line = static_cast<size_t>(diagnostic.getLineNo()) - 1;
        if (line < lines.size() && SaysThereIsNone(std::string_view(diagnostic.getMessage())))
          left->erase(lines[line]);
      },
      &diagnostics);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(absl::StrJoin(all, "\n") + "\n"),
                             llvm::SMLoc());
  const std::unique_ptr<llvm::MCContext> context = llvm.NewContext(&sources, *llvm.assembly);
  const std::unique_ptr<llvm::MCObjectFileInfo> info(
      llvm.target->createMCObjectFileInfo(*context, /*PIC=*/false));
  context->setObjectFileInfo(info.get());
  const std::unique_ptr<llvm::MCStreamer> nowhere(llvm::createNullStreamer(*context));
  llvm.target->createNullTargetStreamer(*nowhere);
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, *context, *nowhere, *llvm.assembly));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      llvm.target->createMCAsmParser(*llvm.subtarget, *parser, *llvm.instructions, llvm.options));
  parser->setTargetParser(*target_parser);
  parser->Run(/*NoInitialTextSection=*/true);
  return std::vector<std::string>(known.begin(), known.end());
}

absl::StatusOr<IsaCoverage> MeasureCoverage(std::string_view gfx) {
  const SimTarget* const target = FindTarget(gfx);
  if (target == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", gfx, "' is not a target of the simulator; those are ",
        absl::StrJoin(kSimTargets, ", ",
                      [](std::string* out, const SimTarget& known) { out->append(known.gfx); })));
  }
  const absl::StatusOr<std::vector<std::string>> mnemonics = Mnemonics(gfx);
  if (!mnemonics.ok()) return mnemonics.status();
  IsaCoverage coverage{.gfx = std::string(gfx), .covered = 0, .missing = {}};
  for (const std::string& mnemonic : *mnemonics) {
    if (HasHandler(mnemonic, target->bit)) {
      ++coverage.covered;
    } else {
      coverage.missing.push_back({mnemonic, Categorize(mnemonic)});
    }
  }
  std::stable_sort(coverage.missing.begin(), coverage.missing.end(),
                   [](const auto& a, const auto& b) { return a.category < b.category; });
  return coverage;
}

std::string IsaCoverage::ToString() const {
  std::string text = absl::StrFormat(
      "%s: %d of %d instructions have a handler; executing another one is an error that names it\n",
      gfx, covered, covered + static_cast<int>(missing.size()));
  for (size_t begin = 0; begin < missing.size();) {
    size_t end = begin;
    while (end < missing.size() && missing[end].category == missing[begin].category) ++end;
    absl::StrAppendFormat(&text, "\n%s (%d):\n", missing[begin].category, end - begin);
    for (; begin < end; ++begin) absl::StrAppend(&text, "  ", missing[begin].mnemonic, "\n");
  }
  return text;
}

}  // namespace gridwise::sim
