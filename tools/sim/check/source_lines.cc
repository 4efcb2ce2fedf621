// SPDX-License-Identifier: MIT
#include "tools/sim/check/source_lines.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tools/sim/elf/image.h"

namespace gridwise::sim {
namespace {

/// The ELF and its line tables; they refer to the bytes.
struct Lines {
  std::vector<char> bytes;
  std::unique_ptr<llvm::object::ObjectFile> file;
  std::unique_ptr<llvm::DWARFContext> dwarf;
  uint64_t section = 0;  // index of .text in the ELF
  uint64_t bias = 0;     // address in memory - address in the ELF
};

}  // namespace

SourceLineFn SourceLines(const CodeObject& object, std::span<const std::byte> image) {
  ImageStorage storage;
  const absl::StatusOr<std::span<const std::byte>> elf = SelectElf(image, object.gfx(), storage);
  if (!elf.ok()) return nullptr;
  auto lines = std::make_shared<Lines>();
  const auto* data = reinterpret_cast<const char*>(elf->data());
  lines->bytes.assign(data, data + elf->size());
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> file =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(
          llvm::StringRef(lines->bytes.data(), lines->bytes.size()), "code object"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return nullptr;
  }
  lines->file = std::move(*file);
  bool has_lines = false, has_text = false;
  for (const llvm::object::SectionRef& section : lines->file->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    has_lines |= *name == ".debug_line";
    if (*name != ".text" || object.code().empty()) continue;
    has_text = true;
    lines->section = section.getIndex();
    lines->bias = object.code().front().address - section.getAddress();
  }
  if (!has_lines || !has_text) return nullptr;
  lines->dwarf = llvm::DWARFContext::create(*lines->file);
  return [lines](uint64_t pc, LineOf of) -> SourceLine {
    const llvm::DILineInfoSpecifier what(
        llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
        llvm::DILineInfoSpecifier::FunctionNameKind::None);
    const llvm::DIInliningInfo frames =
        lines->dwarf->getInliningInfoForAddress({pc - lines->bias, lines->section}, what);
    if (frames.getNumberOfFrames() == 0) return {};
    if (of == LineOf::kInstruction) {
      const llvm::DILineInfo& info = frames.getFrame(0);
      return info.Line == 0 ? SourceLine{} : SourceLine{info.FileName, static_cast<int>(info.Line)};
    }
    const llvm::DILineInfo& info = frames.getFrame(frames.getNumberOfFrames() - 1);
    if (info.StartLine == 0) return {};
    return {.file = info.StartFileName, .line = static_cast<int>(info.StartLine)};
  };
}

}  // namespace gridwise::sim
