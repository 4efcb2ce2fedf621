#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
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
#include "tools/build/code_object.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/text/decode.h"
#include "tools/sim/isa/text/llvm_target.h"
#include "tools/sim/machine/memory.h"
#include "tools/sim/tests/group_kernels_o0.h"
#include "tools/sim/tests/group_kernels_o3.h"
#include "tools/sim/tests/item_kernels_o1.h"

// The text that instructions are bound by says all of them: the assembler makes the same bytes of
// it again.

namespace gridwise::sim {
namespace {

using Bytes = std::vector<uint8_t>;

/// Bytes by text, of every instruction in `objects` for the target under test.
std::map<std::string, std::set<Bytes>> Instructions(gridwise::CodeObjects objects,
                                                    std::string_view gfx) {
  std::map<std::string, std::set<Bytes>> found;
  const auto decoder = Decoder::Create(gfx);
  EXPECT_TRUE(decoder.ok()) << decoder.status();
  for (const gridwise::CodeObject& object : objects) {
    if (object.gfx != gfx) continue;
    Memory memory;
    const auto loaded = CodeObject::Load(
        {reinterpret_cast<const std::byte*>(object.data.data()), object.data.size()}, memory, gfx);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    if (!loaded.ok()) continue;
    for (const CodeSection& section : (*loaded)->code()) {
      const auto* code = reinterpret_cast<const uint8_t*>(section.bytes.data());
      for (uint64_t at = 0; at < section.bytes.size();) {
        const auto decoded = (*decoder)->Decode(code + at, section.bytes.size() - at, 0);
        const uint32_t bytes = decoded.ok() ? decoded->bytes : 4;  // padding between functions
        if (decoded.ok()) found[decoded->text].insert(Bytes(code + at, code + at + bytes));
        at += bytes;
      }
    }
  }
  return found;
}

/// What the assembler makes of `lines`: the bytes in the comment that it writes behind each.
std::vector<Bytes> Assemble(const std::vector<std::string>& lines, std::string_view gfx) {
  const auto created = LlvmTarget::Create(gfx);
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
  std::vector<Bytes> assembled;
  for (const std::string_view line : absl::StrSplit(printed, '\n')) {
    const size_t at = line.find("encoding: [");
    if (at == std::string_view::npos) continue;
    Bytes& bytes = assembled.emplace_back();
    for (const std::string_view number :
         absl::StrSplit(line.substr(at + 11, line.find(']', at) - at - 11), ',')) {
      uint32_t byte = 0;
      EXPECT_TRUE(absl::SimpleHexAtoi(number, &byte)) << line;
      bytes.push_back(static_cast<uint8_t>(byte));
    }
  }
  return assembled;
}

TEST(TextRoundTrip, GivesTheSameBytes) {
  const char* const target = std::getenv("GRIDWISE_TEST_TARGET");
  const std::string gfx = target == nullptr ? "gfx942" : target;
  std::map<std::string, std::set<Bytes>> instructions;
  for (const gridwise::CodeObjects& objects :
       {GroupKernelsO0(), GroupKernelsO3(), ItemKernelsO1()}) {
    for (const auto& [text, bytes] : Instructions(objects, gfx))
      instructions[text].insert(bytes.begin(), bytes.end());
  }
  ASSERT_GT(instructions.size(), 5000u);
  std::vector<std::string> texts;
  for (const auto& [text, bytes] : instructions) texts.push_back(text);
  const std::vector<Bytes> assembled = Assemble(texts, gfx);
  ASSERT_EQ(assembled.size(), texts.size());
  int wrong = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (instructions[texts[i]].count(assembled[i]) == 0 && ++wrong <= 20) ADD_FAILURE() << texts[i];
  }
  EXPECT_EQ(wrong, 0) << "of " << texts.size();
}

}  // namespace
}  // namespace gridwise::sim
