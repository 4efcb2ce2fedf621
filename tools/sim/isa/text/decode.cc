// SPDX-License-Identifier: MIT
#include "tools/sim/isa/text/decode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/sim/isa/text/llvm_target.h"

namespace gridwise::sim {

namespace {

/// LLVM's names of the registers that are not a file's prefix and a number.
constexpr std::pair<std::string_view, int> kNamedRegisters[] = {
    {"VCC_LO", kVccLo},
    {"VCC_HI", kVccLo + 1},
    {"EXEC_LO", kExecLo},
    {"EXEC_HI", kExecLo + 1},
    {"FLAT_SCR_LO", kFlatScratchLo},
    {"FLAT_SCR_HI", kFlatScratchLo + 1},
    {"M0", kM0},
    {"SCC", kScc},
};
constexpr std::pair<std::string_view, int> kRegisterFiles[] = {
    {"VGPR", kFirstVector},
    {"AGPR", kFirstVector + kAgprBase},
    {"SGPR", 0},
    {"TTMP", kTtmp0},
};

/// The number of a 32-bit register (or of the register that a 16-bit one is half of) by its name in
/// LLVM, "VGPR12_LO16", "M0_gfx11plus"; -1: none that the simulator has a number for.
int RegisterNumber(std::string_view name) {
  const auto is = [&](std::string_view known) {
    return absl::StartsWith(name, known) &&
           (name.size() == known.size() || name[known.size()] == '_');
  };
  for (const auto& [known, number] : kNamedRegisters) {
    if (is(known)) return number;
  }
  for (const auto& [prefix, first] : kRegisterFiles) {
    if (!absl::StartsWith(name, prefix)) continue;
    const std::string_view digits = name.substr(prefix.size());
    const size_t end = digits.find_first_not_of("0123456789");
    int index = 0;
    if (absl::SimpleAtoi(digits.substr(0, end), &index)) return first + index;
  }
  return -1;
}

/// Whether an instruction that LLVM's tables give `number` as an implied operand leaves it alone on
/// this target. The tables are the same for all: VCC and EXEC have 64 bits there, and scratch has
/// its address in FLAT_SCRATCH, which from gfx10 on is no scalar register any more; s102 and s103
/// are what its number stands for.
bool IsFalselyImplied(int number, bool wave32, bool is_gfx9) {
  if (number == kFlatScratchLo || number == kFlatScratchLo + 1) return !is_gfx9;
  return wave32 && (number == kVccLo + 1 || number == kExecLo + 1);
}

/// Appends the numbers of `reg`'s 32-bit registers.
void AppendRegisters(const llvm::MCRegisterInfo& info, llvm::MCRegister reg,
                     std::vector<uint16_t>& out) {
  if (!reg.isValid()) return;
  bool whole = true;
  for (const llvm::MCPhysReg part : info.subregs(reg)) {
    const std::string_view name = info.getName(part);
    const int number = RegisterNumber(name);
    // Tuples have names that begin like their first register: VGPR2_VGPR3.
    const bool tuple = name.find("GPR", 4) != name.npos || name.find("_TTMP") != name.npos;
    if (number < 0 || tuple) continue;
    whole = false;
    if (std::find(out.begin(), out.end(), number) == out.end())
      out.push_back(static_cast<uint16_t>(number));
  }
  if (!whole) return;
  const int number = RegisterNumber(info.getName(reg));
  if (number >= 0 && std::find(out.begin(), out.end(), number) == out.end())
    out.push_back(static_cast<uint16_t>(number));
}

/// A field of an instruction's encoding, `width` bits at bit `shift` of its first 8 bytes.
struct Field {
  uint32_t shift, width;
};
/// Fields that some instructions of an encoding do not use, and which LLVM wants to be 0 there: the
/// hardware looks at none of them (tinygrad's test/amd/hw, validated on RDNA3: ds_add_u32 with a
/// VDST, v_dual_mov_b32 with a VSRCX1).
struct Encoding {
  uint32_t mask, value;  // bits of the first dword
  bool rdna;             // only on gfx10 and later
  std::array<Field, 3> fields;
};
constexpr Encoding kUnusedFields[] = {
    {0xfc000000, 0xd8000000, false, {{{40, 8}, {48, 8}, {56, 8}}}},  // DS: DATA0, DATA1, VDST
    {0xfc000000, 0xc8000000, true, {{{9, 8}, {41, 8}, {0, 0}}}},     // VOPD: VSRCX1, VSRCY1
};

uint64_t With(uint64_t word, const Field& field, uint64_t value) {
  const uint64_t mask = ((uint64_t{1} << field.width) - 1) << field.shift;
  return (word & ~mask) | value << field.shift;
}

/// Lets LLVM look for a literal behind any instruction. LLVM 22 reads through a null pointer if an
/// operand is a literal for which the code, or the target's longest instruction, has no bytes left
/// (llvm-project 214909).
class LongInstructions final : public llvm::MCAsmInfo {
 public:
  static constexpr unsigned kBytes = 20;  // gfx950's longest has 16, a literal 4
  unsigned getMaxInstLength(const llvm::MCSubtargetInfo*) const override { return kBytes; }
};

/// Instructions that always have a literal. LLVM 22 takes it for the code of an operand: it reads
/// 0x80 as 0.
struct WithLiteral {
  uint32_t mask, value;  // bits of the first dword
  bool rdna;             // only on gfx10 and later; else only on gfx9
  size_t at;             // the dword that is the literal
  uint32_t bits;         // of the literal that count
};
constexpr WithLiteral kWithLiteral[] = {
    {0xfe000000, 0x2e000000, false, 1, 0xffffffff},  // v_madmk_f32, v_fmamk_f32
    {0xfe000000, 0x30000000, false, 1, 0xffffffff},  // v_madak_f32, v_fmaak_f32
    {0xfe000000, 0x48000000, false, 1, 0xffff},      // v_madmk_f16
    {0xfe000000, 0x4a000000, false, 1, 0xffff},      // v_madak_f16
    {0xfe000000, 0x58000000, true, 1, 0xffffffff},   // v_fmamk_f32
    {0xfe000000, 0x5a000000, true, 1, 0xffffffff},   // v_fmaak_f32
    {0xfe000000, 0x6e000000, true, 1, 0xffff},       // v_fmamk_f16
    {0xfe000000, 0x70000000, true, 1, 0xffff},       // v_fmaak_f16
    {0xff800000, 0xa2800000, true, 1, 0xffffffff},   // s_fmaak_f32
    {0xff800000, 0xa3000000, true, 1, 0xffffffff},   // s_fmamk_f32
    {0xffc00000, 0xc8400000, true, 2, 0xffffffff},   // v_dual_fmaak_f32 first
    {0xffc00000, 0xc8800000, true, 2, 0xffffffff},   // v_dual_fmamk_f32 first
    {0xfc3e0000, 0xc8020000, true, 2, 0xffffffff},   // v_dual_fmaak_f32 second
    {0xfc3e0000, 0xc8040000, true, 2, 0xffffffff},   // v_dual_fmamk_f32 second
};
/// A literal that is no operand's code and no inline constant.
constexpr uint32_t kLiteral = 0x3c01;

/// Whether an instruction in gfx9's SDWA encoding selects a part of a register that does not exist.
/// LLVM 22 decodes these, and has no text for them.
bool HasReservedSelect(uint32_t word, uint32_t sdwa) {
  if (word >> 31 != 0 || (word & 0x1ff) != 0xf9) return false;
  const bool is_vop1 = word >> 25 == 0x3f, is_vopc = word >> 25 == 0x3e;
  const auto is_reserved = [&](int shift) { return (sdwa >> shift & 7) == 7; };
  return is_reserved(16) || (!is_vop1 && is_reserved(24)) ||
         (!is_vopc && (is_reserved(8) || (sdwa >> 11 & 3) == 3));
}

}  // namespace

struct Decoder::Llvm {
  bool Disassemble(llvm::ArrayRef<uint8_t> bytes, uint64_t pc, llvm::MCInst& instruction,
                   uint64_t& size) const {
    const size_t available = std::min(bytes.size(), longest);
    std::array<uint8_t, LongInstructions::kBytes> padded = {};
    std::copy_n(bytes.begin(), std::min(bytes.size(), padded.size()), padded.begin());
    std::array<uint32_t, 3> words;
    std::memcpy(words.data(), padded.data(), sizeof(words));
    if (is_gfx9 && HasReservedSelect(words[0], words[1])) return false;
    const auto* const with = std::ranges::find_if(kWithLiteral, [&](const WithLiteral& known) {
      return (words[0] & known.mask) == known.value && known.rdna != is_gfx9;
    });
    const bool has_literal = with != std::end(kWithLiteral);
    if (has_literal) std::memcpy(&padded[4 * with->at], &kLiteral, sizeof(kLiteral));
    if (disassembler->getInstruction(instruction, size, padded, pc, llvm::nulls()) !=
            llvm::MCDisassembler::Success ||
        size > available) {
      return false;
    }
    if (!has_literal) return true;
    for (llvm::MCOperand& operand : instruction) {
      if (operand.isImm() && operand.getImm() == kLiteral)
        operand.setImm(words[with->at] & with->bits);
    }
    return true;
  }
  /// The same for an instruction that has something in a field that it does not use. Such a field
  /// is one that decodes when it is 0 and not when it is 2: a register that exists everywhere.
  bool DisassembleWithoutUnused(llvm::ArrayRef<uint8_t> bytes, uint64_t pc,
                                llvm::MCInst& instruction, uint64_t& size) const;

  std::unique_ptr<LlvmTarget> target;
  size_t longest = 0;  // bytes of an instruction of the target
  LongInstructions assembly;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  bool wave32 = false;
  bool is_gfx9 = false;  // FLAT_SCRATCH is scalar registers, and SDWA an encoding
};

bool Decoder::Llvm::DisassembleWithoutUnused(llvm::ArrayRef<uint8_t> bytes, uint64_t pc,
                                             llvm::MCInst& instruction, uint64_t& size) const {
  uint64_t word = 0;
  if (bytes.size() < sizeof(word)) return false;
  std::vector<uint8_t> copy(bytes.begin(), bytes.begin() + std::min<size_t>(bytes.size(), 16));
  std::memcpy(&word, copy.data(), sizeof(word));
  const auto decodes = [&](uint64_t as) {
    std::memcpy(copy.data(), &as, sizeof(as));
    instruction.clear();
    return Disassemble(copy, pc, instruction, size);
  };
  for (const Encoding& encoding : kUnusedFields) {
    if ((word & encoding.mask) != encoding.value || (encoding.rdna && is_gfx9)) continue;
    for (unsigned cleared = 1; cleared < 1u << encoding.fields.size(); ++cleared) {
      uint64_t without = word;
      bool unused = true;
      for (size_t i = 0; i < encoding.fields.size(); ++i) {
        if ((cleared >> i & 1) != 0) without = With(without, encoding.fields[i], 0);
      }
      for (size_t i = 0; i < encoding.fields.size(); ++i) {
        const bool is_cleared = (cleared >> i & 1) != 0 && encoding.fields[i].width != 0;
        unused = unused && !(is_cleared && decodes(With(without, encoding.fields[i], 2)));
      }
      if (unused && decodes(without)) return true;
    }
  }
  return false;
}

Decoder::Decoder(std::unique_ptr<Llvm> llvm) : llvm_(std::move(llvm)) {}
Decoder::~Decoder() = default;

absl::StatusOr<std::unique_ptr<Decoder>> Decoder::Create(std::string_view gfx, int wave_size) {
  absl::StatusOr<std::unique_ptr<LlvmTarget>> target = LlvmTarget::Create(gfx, wave_size);
  if (!target.ok()) return target.status();
  auto llvm = std::make_unique<Llvm>();
  llvm->target = *std::move(target);
  llvm->longest = llvm->target->assembly->getMaxInstLength(llvm->target->subtarget.get());
  llvm->context = llvm->target->NewContext(nullptr, llvm->assembly);
  llvm->disassembler.reset(
      llvm->target->target->createMCDisassembler(*llvm->target->subtarget, *llvm->context));
  llvm->wave32 = llvm->target->subtarget->checkFeatures("+wavefrontsize32");
  llvm->is_gfx9 = absl::StartsWith(gfx, "gfx9");
  return absl::WrapUnique(new Decoder(std::move(llvm)));
}

absl::StatusOr<Decoder::Decoded> Decoder::Decode(const uint8_t* code, uint64_t available,
                                                 uint64_t pc, RegisterUses* uses) {
  llvm::MCInst instruction;
  uint64_t size = 0;
  const llvm::ArrayRef<uint8_t> bytes(code, static_cast<size_t>(available));
  if (!llvm_->Disassemble(bytes, pc, instruction, size) &&
      !llvm_->DisassembleWithoutUnused(bytes, pc, instruction, size)) {
    uint32_t word = 0;
    for (int i = 3; i >= 0; --i)
      word = word << 8 | (static_cast<uint64_t>(i) < available ? code[i] : 0);
    return absl::InvalidArgumentError(
        absl::StrCat("0x", absl::Hex(word, absl::kZeroPad8), " is not an instruction"));
  }
  if (uses != nullptr) {
    const llvm::MCInstrDesc& what = llvm_->target->instructions->get(instruction.getOpcode());
    const llvm::MCRegisterInfo& registers = *llvm_->target->registers;
    *uses = {};
    for (unsigned i = 0; i < instruction.getNumOperands(); ++i) {
      if (!instruction.getOperand(i).isReg()) continue;
      // A source that is the destination as well, as FMAC's: of a dual instruction's second half
      // LLVM decodes it from the encoding, which lacks the lowest bit.
      const int tied = what.getOperandConstraint(i, llvm::MCOI::TIED_TO);
      const unsigned from = tied < 0 ? i : static_cast<unsigned>(tied);
      AppendRegisters(registers, instruction.getOperand(from).getReg(),
                      i < what.getNumDefs() ? uses->writes : uses->reads);
    }
    const auto append_implied = [&](llvm::ArrayRef<llvm::MCPhysReg> implied,
                                    std::vector<uint16_t>& out) {
      std::vector<uint16_t> numbers;
      for (const llvm::MCPhysReg reg : implied) AppendRegisters(registers, reg, numbers);
      for (const uint16_t number : numbers) {
        if (IsFalselyImplied(number, llvm_->wave32, llvm_->is_gfx9)) continue;
        if (std::find(out.begin(), out.end(), number) == out.end()) out.push_back(number);
      }
    };
    append_implied(what.implicit_uses(), uses->reads);
    append_implied(what.implicit_defs(), uses->writes);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm_->target->printer->printInst(&instruction, pc, "", *llvm_->target->subtarget, stream);
  for (char& c : text) {
    if (c == '\t') c = ' ';
  }
  return Decoded{std::string(absl::StripAsciiWhitespace(text)), static_cast<uint32_t>(size)};
}

}  // namespace gridwise::sim
