// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

namespace llvm {
class SourceMgr;
}

namespace gridwise::sim {

/// LLVM's tables of one processor: what its disassembler and its assembler both need.
struct LlvmTarget {
  /// As of Decoder::Create.
  static absl::StatusOr<std::unique_ptr<LlvmTarget>> Create(std::string_view gfx,
                                                            int wave_size = 0);

  /// `sources` may be null when nothing is parsed. `rules` are `assembly`, or what takes its place.
  std::unique_ptr<llvm::MCContext> NewContext(const llvm::SourceMgr* sources,
                                              const llvm::MCAsmInfo& rules) const;

  const llvm::Target* target = nullptr;
  llvm::Triple triple;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

}  // namespace gridwise::sim
