#include "tools/sim/isa/decode.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
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
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

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

}  // namespace

struct Decoder::Llvm {
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

Decoder::Decoder(std::unique_ptr<Llvm> llvm) : llvm_(std::move(llvm)) {}
Decoder::~Decoder() = default;

absl::StatusOr<std::unique_ptr<Decoder>> Decoder::Create(std::string_view gfx, int wave_size) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string message;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (target == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("LLVM has no AMDGPU target: ", message));
  }
  auto llvm = std::make_unique<Llvm>();
  llvm->registers.reset(target->createMCRegInfo(triple));
  llvm->assembly.reset(target->createMCAsmInfo(*llvm->registers, triple, llvm->options));
  const bool is_gfx9 = absl::StartsWith(gfx, "gfx9");
  const std::string features =
      is_gfx9 || wave_size == 0 ? "" : absl::StrCat("+wavefrontsize", wave_size);
  llvm->subtarget.reset(target->createMCSubtargetInfo(triple, std::string(gfx), features));
  if (!llvm->subtarget->isCPUStringValid(std::string(gfx))) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", gfx, "' is not a processor that LLVM knows"));
  }
  llvm->instructions.reset(target->createMCInstrInfo());
  llvm->context = std::make_unique<llvm::MCContext>(triple, llvm->assembly.get(),
                                                    llvm->registers.get(), llvm->subtarget.get());
  llvm->disassembler.reset(target->createMCDisassembler(*llvm->subtarget, *llvm->context));
  llvm->printer.reset(target->createMCInstPrinter(triple, llvm->assembly->getAssemblerDialect(),
                                                  *llvm->assembly, *llvm->instructions,
                                                  *llvm->registers));
  return absl::WrapUnique(new Decoder(std::move(llvm)));
}

absl::StatusOr<Decoder::Decoded> Decoder::Decode(const uint8_t* code, uint64_t available,
                                                 uint64_t pc, RegisterUses* uses) {
  llvm::MCInst instruction;
  uint64_t size = 0;
  const llvm::ArrayRef<uint8_t> bytes(code, static_cast<size_t>(available));
  if (llvm_->disassembler->getInstruction(instruction, size, bytes, pc, llvm::nulls()) !=
      llvm::MCDisassembler::Success) {
    uint32_t word = 0;
    for (int i = 3; i >= 0; --i)
      word = word << 8 | (static_cast<uint64_t>(i) < available ? code[i] : 0);
    return absl::InvalidArgumentError(
        absl::StrCat("0x", absl::Hex(word, absl::kZeroPad8), " is not an instruction"));
  }
  if (uses != nullptr) {
    const llvm::MCInstrDesc& what = llvm_->instructions->get(instruction.getOpcode());
    const llvm::MCRegisterInfo& registers = *llvm_->registers;
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
    for (const llvm::MCPhysReg reg : what.implicit_uses())
      AppendRegisters(registers, reg, uses->reads);
    for (const llvm::MCPhysReg reg : what.implicit_defs())
      AppendRegisters(registers, reg, uses->writes);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm_->printer->printInst(&instruction, pc, "", *llvm_->subtarget, stream);
  for (char& c : text) {
    if (c == '\t') c = ' ';
  }
  return Decoded{std::string(absl::StripAsciiWhitespace(text)), static_cast<uint32_t>(size)};
}

}  // namespace gridwise::sim
