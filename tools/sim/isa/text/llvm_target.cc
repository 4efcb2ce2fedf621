// SPDX-License-Identifier: MIT
#include "tools/sim/isa/text/llvm_target.h"

#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "llvm/Support/TargetSelect.h"

namespace gridwise::sim {

absl::StatusOr<std::unique_ptr<LlvmTarget>> LlvmTarget::Create(std::string_view gfx,
                                                               int wave_size) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    LLVMInitializeAMDGPUAsmParser();
  });
  auto result = std::make_unique<LlvmTarget>();
  result->triple = llvm::Triple("amdgcn-amd-amdhsa");
  const llvm::Triple& triple = result->triple;
  std::string message;
  result->target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (result->target == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("LLVM has no AMDGPU target: ", message));
  }
  const llvm::Target& target = *result->target;
  result->registers.reset(target.createMCRegInfo(triple));
  result->assembly.reset(target.createMCAsmInfo(*result->registers, triple, result->options));
  const bool is_gfx9 = absl::StartsWith(gfx, "gfx9");
  const std::string features =
      is_gfx9 || wave_size == 0 ? "" : absl::StrCat("+wavefrontsize", wave_size);
  result->subtarget.reset(target.createMCSubtargetInfo(triple, std::string(gfx), features));
  if (!result->subtarget->isCPUStringValid(std::string(gfx))) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", gfx, "' is not a processor that LLVM knows"));
  }
  result->instructions.reset(target.createMCInstrInfo());
  result->printer.reset(target.createMCInstPrinter(triple, result->assembly->getAssemblerDialect(),
                                                   *result->assembly, *result->instructions,
                                                   *result->registers));
  return result;
}

std::unique_ptr<llvm::MCContext> LlvmTarget::NewContext(const llvm::SourceMgr* sources,
                                                        const llvm::MCAsmInfo& rules) const {
  return std::make_unique<llvm::MCContext>(triple, &rules, registers.get(), subtarget.get(),
                                           sources);
}

}  // namespace gridwise::sim
