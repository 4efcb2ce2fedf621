// SPDX-License-Identifier: MIT
#include "tools/sim/tests/mutants.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/text/decode.h"

namespace gridwise::sim {
namespace {

constexpr uint32_t kNop = 0xbf800000;  // s_nop 0, on every target

/// Bits of a wait's immediate that hold one counter's limit, the low ones first.
struct Field {
  std::string_view name;
  int shift, bits, high_shift, high_bits;
};

uint32_t Get(const Field& f, uint32_t word) {
  return (word >> f.shift & ((1u << f.bits) - 1)) |
         (word >> f.high_shift & ((1u << f.high_bits) - 1)) << f.bits;
}
uint32_t Set(const Field& f, uint32_t word, uint32_t value) {
  const uint32_t low = (1u << f.bits) - 1, high = (1u << f.high_bits) - 1;
  word &= ~(low << f.shift | high << f.high_shift);
  return word | (value & low) << f.shift | (value >> f.bits & high) << f.high_shift;
}

/// LLVM, AMDGPU/Utils/AMDGPUBaseInfo.cpp: where the counters are in s_waitcnt; gfx12's waits have
/// one counter, or two of 6 bits.
std::vector<Field> FindFields(TargetBit target, std::string_view mnemonic) {
  if (mnemonic == "s_waitcnt" && (target & kGfx9) != 0)
    return {{"vmcnt", 0, 4, 14, 2}, {"lgkmcnt", 8, 4, 0, 0}};
  if (mnemonic == "s_waitcnt") return {{"vmcnt", 10, 6, 0, 0}, {"lgkmcnt", 4, 6, 0, 0}};
  if (absl::EndsWith(mnemonic, "cnt_dscnt"))
    return {{"the first counter", 8, 6, 0, 0}, {"dscnt", 0, 6, 0, 0}};
  if (mnemonic == "s_waitcnt_vscnt" || absl::StartsWith(mnemonic, "s_wait_"))
    return {{"the counter", 0, 6, 0, 0}};
  return {};
}

bool IsMutable(const InstructionFacts& facts, std::string_view text) {
  return facts.waits || facts.hazard.drains != 0 || facts.barrier_wait ||
         (facts.mnemonic == "s_nop" && text != "s_nop 0");
}

}  // namespace

absl::StatusOr<KernelCode> KernelCode::Find(std::string_view gfx, std::string_view image,
                                            std::string_view kernel) {
  KernelCode code;
  code.target_ = FindTarget(gfx)->bit;
  absl::StatusOr<std::unique_ptr<Decoder>> decoder = Decoder::Create(gfx);
  if (!decoder.ok()) return decoder.status();
  const std::unique_ptr<llvm::object::ObjectFile> file = llvm::cantFail(
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(image, "kernels")));
  for (const llvm::object::ELFSymbolRef symbol :
       llvm::cast<llvm::object::ELFObjectFileBase>(*file).symbols()) {
    if (std::string_view(llvm::cantFail(symbol.getName())) != kernel) continue;
    const llvm::object::SectionRef section = *llvm::cantFail(symbol.getSection());
    const size_t begin =
        static_cast<size_t>(llvm::cantFail(section.getContents()).data() - image.data() +
                            llvm::cantFail(symbol.getAddress()) - section.getAddress());
    for (uint64_t pc = 0; pc < symbol.getSize();) {
      RegisterUses uses;
      const auto* bytes = reinterpret_cast<const uint8_t*>(image.data()) + begin + pc;
      absl::StatusOr<Decoder::Decoded> decoded =
          (*decoder)->Decode(bytes, symbol.getSize() - pc, pc, &uses);
      if (!decoded.ok()) break;
      Instruction& instruction = code.instructions_.emplace_back();
      instruction.offset = begin + pc;
      std::memcpy(&instruction.word, bytes, sizeof(instruction.word));
      instruction.text = decoded->text;
      instruction.facts.index = static_cast<uint32_t>(code.instructions_.size() - 1);
      instruction.facts.pc = pc;
      FillFacts(code.target_, decoded->text, uses, instruction.facts);
      pc += decoded->bytes;
    }
  }
  if (code.instructions_.empty())
    return absl::NotFoundError(absl::StrCat("the code object has no kernel ", kernel));
  return code;
}

std::vector<size_t> KernelCode::Next(size_t i) const {
  const InstructionFacts& facts = instructions_[i].facts;
  std::vector<size_t> next;
  if (!Reaches(i)) return next;
  if (facts.ends || facts.mnemonic == "s_setpc_b64") return next;
  if (facts.mnemonic != "s_branch" && i + 1 < instructions_.size()) next.push_back(i + 1);
  if (const auto target = BranchTarget(facts)) {
    const auto found = std::find_if(instructions_.begin(), instructions_.end(),
                                    [&](const Instruction& in) { return in.facts.pc == *target; });
    if (found != instructions_.end())
      next.push_back(static_cast<size_t>(found - instructions_.begin()));
  }
  std::erase_if(next, [&](size_t n) { return !Reaches(n); });
  return next;
}

std::vector<size_t> KernelCode::Leaders() const {
  std::set<size_t> leaders = {0};
  for (size_t i = 0; i < instructions_.size(); ++i) {
    const std::vector<size_t> next = Next(i);
    if (next.size() == 1 && next[0] == i + 1) continue;
    leaders.insert(next.begin(), next.end());
    if (i + 1 < instructions_.size()) leaders.insert(i + 1);
  }
  return {leaders.begin(), leaders.end()};
}

std::vector<std::string> ListKernels(std::string_view image) {
  std::vector<std::string> names;
  const std::unique_ptr<llvm::object::ObjectFile> file = llvm::cantFail(
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(image, "kernels")));
  for (const llvm::object::SymbolRef symbol : file->symbols()) {
    std::string_view name = llvm::cantFail(symbol.getName());
    if (absl::ConsumeSuffix(&name, ".kd")) names.emplace_back(name);
  }
  return names;
}

std::vector<Mutant> MakeMutants(const KernelCode& code) {
  std::vector<Mutant> mutants;
  for (size_t i = 0; i < code.instructions().size(); ++i) {
    const auto& [facts, offset, word, text] = code.instructions()[i];
    if (!IsMutable(facts, text)) continue;
    mutants.push_back({i, kNop, absl::StrCat("without '", text, "'")});
    if (!facts.waits) continue;
    for (const Field& field : FindFields(code.target(), facts.mnemonic)) {
      const uint32_t limit = Get(field, word);
      if (limit + 1 >= 1u << (field.bits + field.high_bits)) continue;  // waits for nothing
      mutants.push_back({i, Set(field, word, limit + 1),
                         absl::StrCat("'", text, "' with ", field.name, " at ", limit + 1)});
    }
  }
  return mutants;
}

std::string Apply(const Mutant& mutant, const KernelCode& code, std::string_view image) {
  std::string mutated(image);
  std::memcpy(mutated.data() + code.instructions()[mutant.instruction].offset, &mutant.word,
              sizeof(mutant.word));
  return mutated;
}

}  // namespace gridwise::sim
