// SPDX-License-Identifier: MIT
#include "tools/sim/isa/testing/assemble.h"

#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/FormattedStream.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/sim/isa/text/llvm_target.h"

namespace gridwise::sim {

std::vector<std::vector<uint8_t>> Assemble(const std::vector<std::string>& lines,
                                           std::string_view gfx, int wave_size) {
  const auto created = LlvmTarget::Create(gfx, wave_size);
  EXPECT_TRUE(created.ok()) << created.status();
  LlvmTarget& llvm = **created;
  llvm.options.ShowMCEncoding = true;
  llvm.options.AsmVerbose = true;
  std::string source, printed;
  for (const std::string& line : lines) absl::StrAppend(&source, line, "\n");
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(source), llvm::SMLoc());
  llvm::MCContext context(llvm.triple, llvm.assembly.get(), llvm.registers.get(),
                          llvm.subtarget.get(), &sources, &llvm.options);
  const std::unique_ptr<llvm::MCObjectFileInfo> info(
      llvm.target->createMCObjectFileInfo(context, /*PIC=*/false));
  context.setObjectFileInfo(info.get());
  llvm::raw_string_ostream stream(printed);
  auto formatted = std::make_unique<llvm::formatted_raw_ostream>(stream);
  llvm::formatted_raw_ostream& out = *formatted;
  const std::unique_ptr<llvm::MCStreamer> streamer(llvm.target->createAsmStreamer(
      context, std::move(formatted), std::move(llvm.printer),
      std::unique_ptr<llvm::MCCodeEmitter>(
          llvm.target->createMCCodeEmitter(*llvm.instructions, context)),
      std::unique_ptr<llvm::MCAsmBackend>(
          llvm.target->createMCAsmBackend(*llvm.subtarget, *llvm.registers, llvm.options))));
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *llvm.assembly));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      llvm.target->createMCAsmParser(*llvm.subtarget, *parser, *llvm.instructions, llvm.options));
  parser->setTargetParser(*target_parser);
  EXPECT_FALSE(parser->Run(/*NoInitialTextSection=*/false)) << "there are errors on stderr";
  out.flush();
  std::vector<std::vector<uint8_t>> assembled;
  for (const std::string_view line : absl::StrSplit(printed, '\n')) {
    const size_t at = line.find("encoding: [");
    if (at == std::string_view::npos) continue;
    std::vector<uint8_t>& bytes = assembled.emplace_back();
    for (const std::string_view number :
         absl::StrSplit(line.substr(at + 11, line.find(']', at) - at - 11), ',')) {
      uint32_t byte = 0;
      EXPECT_TRUE(absl::SimpleHexAtoi(number, &byte)) << line;
      bytes.push_back(static_cast<uint8_t>(byte));
    }
  }
  return assembled;
}

}  // namespace gridwise::sim
