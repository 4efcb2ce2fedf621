// SPDX-License-Identifier: MIT
#include "tools/sim/run/program_file.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tools/sim/elf/code_object.h"

namespace gridwise::sim {
namespace {

using Object = llvm::object::ELFObjectFile<llvm::object::ELF64LE>;

absl::Status FromLlvm(llvm::Error error, const std::string& path) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, " cannot be read: ", llvm::toString(std::move(error))));
}

absl::Status ReadDynamicSection(const Object& object, const std::string& path, ProgramFile& file) {
  auto entries = object.getELFFile().dynamicEntries();
  if (!entries) return FromLlvm(entries.takeError(), path);
  std::string_view names;  // the dynamic string table
  for (const auto& entry : *entries) {
    if (entry.getTag() != llvm::ELF::DT_STRTAB) continue;
    auto table = object.getELFFile().toMappedAddr(entry.getPtr());
    if (!table) return FromLlvm(table.takeError(), path);
    const char* begin = reinterpret_cast<const char*>(*table);
    const llvm::StringRef data = object.getData();
    names = std::string_view(begin, static_cast<size_t>(data.end() - begin));
  }
  for (const auto& entry : *entries) {
    file.is_dynamic |= entry.getTag() != llvm::ELF::DT_NULL;
    if (entry.getVal() >= names.size()) continue;
    const std::string_view rest = names.substr(entry.getVal());
    // The last one of a damaged file has no end.
    const std::string name(rest.substr(0, rest.find('\0')));
    if (entry.getTag() == llvm::ELF::DT_RPATH) file.rpath = name;
    if (entry.getTag() == llvm::ELF::DT_NEEDED && absl::StartsWith(name, "libamdhip64.so")) {
      file.hip_library = name;
    }
  }
  return absl::OkStatus();
}

absl::Status ReadInterpreter(const Object& object, const std::string& path, ProgramFile& file) {
  auto headers = object.getELFFile().program_headers();
  if (!headers) return FromLlvm(headers.takeError(), path);
  for (const auto& header : *headers) {
    if (header.p_type != llvm::ELF::PT_INTERP) continue;
    auto contents = object.getELFFile().getSegmentContents(header);
    if (!contents) return FromLlvm(contents.takeError(), path);
    const std::string text(contents->begin(), contents->end());
    file.interpreter = text.substr(0, text.find('\0'));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ProgramFile> ReadProgramFile(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) return absl::NotFoundError(absl::StrCat(path, ": ", buffer.getError().message()));
  ProgramFile file;
  if (!absl::StartsWith((*buffer)->getBuffer(), llvm::ELF::ElfMagic)) return file;
  auto object = Object::create((*buffer)->getMemBufferRef());
  if (!object) return FromLlvm(object.takeError(), path);
  file.is_elf = true;
  if (absl::Status status = ReadDynamicSection(*object, path, file); !status.ok()) return status;
  if (absl::Status status = ReadInterpreter(*object, path, file); !status.ok()) return status;
  for (const llvm::object::SectionRef& section : object->sections()) {
    auto name = section.getName();
    auto contents = section.getContents();
    if (!name || !contents) {
      llvm::consumeError(name.takeError());
      llvm::consumeError(contents.takeError());
      continue;
    }
    if (*name != ".hip_fatbin" || contents->empty()) continue;
    const absl::StatusOr<std::vector<std::string>> targets =
        ImageTargets(std::as_bytes(std::span(contents->data(), contents->size())));
    if (!targets.ok()) return targets.status();
    file.targets = *targets;
  }
  return file;
}

}  // namespace gridwise::sim
