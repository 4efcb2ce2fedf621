#include "tools/sim/isa/decode.h"

#include <cstddef>
#include <mutex>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
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

absl::StatusOr<std::unique_ptr<Decoder>> Decoder::Create(std::string_view gfx) {
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
  llvm->subtarget.reset(target->createMCSubtargetInfo(triple, std::string(gfx), ""));
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
                                                 uint64_t pc) {
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
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm_->printer->printInst(&instruction, pc, "", *llvm_->subtarget, stream);
  for (char& c : text) {
    if (c == '\t') c = ' ';
  }
  return Decoded{std::string(absl::StripAsciiWhitespace(text)), static_cast<uint32_t>(size)};
}

}  // namespace gridwise::sim
