#include "tools/sim/isa/assemble.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

namespace gridwise::sim {
namespace {

/// Keeps the instructions that the parser emits.
class Collector : public llvm::MCStreamer {
 public:
  explicit Collector(llvm::MCContext& context) : llvm::MCStreamer(context) {}
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol*, uint64_t, llvm::Align) override {}
  void emitInstruction(const llvm::MCInst& instruction, const llvm::MCSubtargetInfo&) override {
    instructions.push_back(instruction);
  }
  std::vector<llvm::MCInst> instructions;
};

}  // namespace

absl::StatusOr<std::vector<uint8_t>> Assemble(std::string_view gfx, std::string_view text) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
  });
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string message;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (target == nullptr) return absl::FailedPreconditionError(message);
  llvm::MCTargetOptions options;
  const std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  const std::unique_ptr<llvm::MCAsmInfo> assembly(
      target->createMCAsmInfo(*registers, triple, options));
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, std::string(gfx), ""));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());

  llvm::SourceMgr source;
  std::string errors;
  source.setDiagHandler(
      [](const llvm::SMDiagnostic& diagnostic, void* out) {
        absl::StrAppend(static_cast<std::string*>(out), diagnostic.getMessage().str(), "; ");
      },
      &errors);
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(absl::StrCat(text, "\n")),
                            llvm::SMLoc());
  llvm::MCContext context(triple, assembly.get(), registers.get(), subtarget.get(), &source);
  Collector collector(context);
  target->createNullTargetStreamer(collector);  // which the parsers expect to be there
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(source, context, collector, *assembly));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*target_parser);
  if (parser->Run(/*NoInitialTextSection=*/true) || collector.instructions.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("'", text, "': ", errors));
  }
  const std::unique_ptr<llvm::MCCodeEmitter> emitter(
      target->createMCCodeEmitter(*instructions, context));
  llvm::SmallVector<char, 16> bytes;
  llvm::SmallVector<llvm::MCFixup, 2> fixups;
  emitter->encodeInstruction(collector.instructions[0], bytes, fixups, *subtarget);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

}  // namespace gridwise::sim
