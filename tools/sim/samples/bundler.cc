// SPDX-License-Identifier: MIT
// Stands in for clang-offload-bundler, which clang calls to join a program's code objects and to
// take them apart, and which Debian's clang package is without. Understands what clang passes for
// HIP:
//
//   clang-offload-bundler -type=o -bundle-align=4096 -targets=a,b -input=f -input=g -output=h
//       [-compress]
//   clang-offload-bundler -unbundle -type=o|a -targets=a,b -input=f -output=g -output=h
//       -allow-missing-bundles
//
// With an object of the host among the inputs (-fgpu-rdc -c) the bundle is that object, with a
// section for each device; else it is a file of its own format.

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ObjCopy/CommonConfig.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Object/OffloadBundle.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace {

struct Options {
  std::vector<std::string> targets, inputs, outputs;
  std::vector<std::string> contents;  // of the inputs
  uint64_t alignment = 1;
  bool compress = false, unbundle = false, archive = false;
};

bool Parse(std::string_view argument, Options& options) {
  absl::ConsumePrefix(&argument, "-");
  absl::ConsumePrefix(&argument, "-");
  if (absl::ConsumePrefix(&argument, "targets=")) {
    options.targets = absl::StrSplit(argument, ',');
  } else if (absl::ConsumePrefix(&argument, "input=")) {
    options.inputs.emplace_back(argument);
  } else if (absl::ConsumePrefix(&argument, "output=")) {
    options.outputs.emplace_back(argument);
  } else if (absl::ConsumePrefix(&argument, "bundle-align=")) {
    return absl::SimpleAtoi(argument, &options.alignment) && options.alignment > 0;
  } else if (argument == "compress") {
    options.compress = true;
  } else if (argument == "unbundle") {
    options.unbundle = true;
  } else if (argument == "type=a") {
    options.archive = true;
  } else {
    return argument == "type=o" || argument == "verbose" || argument == "allow-missing-bundles" ||
           argument == "hip-openmp-compatible" || absl::StartsWith(argument, "compression-level=");
  }
  return true;
}

bool ReadInputs(Options& options) {
  for (const std::string& input : options.inputs) {
    const auto file = llvm::MemoryBuffer::getFile(input, /*IsText=*/false,
                                                  /*RequiresNullTerminator=*/false);
    if (!file) {
      std::fprintf(stderr, "bundler: %s: %s\n", input.c_str(), file.getError().message().c_str());
      return false;
    }
    options.contents.push_back((*file)->getBuffer().str());
  }
  return true;
}
bool WriteFile(const std::string& name, std::string_view contents) {
  std::ofstream stream(name, std::ios::binary);
  stream << contents;
  return static_cast<bool>(stream.flush());
}

bool IsHost(std::string_view target) { return absl::StartsWith(target, "host-"); }
std::string SectionOf(std::string_view target) {
  return absl::StrCat("__CLANG_OFFLOAD_BUNDLE__", target);
}

bool Report(llvm::Error error) {
  std::fprintf(stderr, "bundler: %s\n", llvm::toString(std::move(error)).c_str());
  return false;
}

void AppendNumber(std::string& to, uint64_t value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The magic, a count, a table of {offset, size, length of the id, id}, then the files, aligned.
std::string Bundle(const Options& options) {
  const std::vector<std::string>& files = options.contents;
  std::string bundle = "__CLANG_OFFLOAD_BUNDLE__";
  uint64_t offset = bundle.size() + sizeof(uint64_t);
  for (const std::string& target : options.targets) offset += 3 * sizeof(uint64_t) + target.size();
  const auto align = [&](uint64_t value) {
    return (value + options.alignment - 1) / options.alignment * options.alignment;
  };
  AppendNumber(bundle, files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    offset = align(offset);
    AppendNumber(bundle, offset);
    AppendNumber(bundle, files[i].size());
    AppendNumber(bundle, options.targets[i].size());
    bundle += options.targets[i];
    offset += files[i].size();
  }
  for (const std::string& file : files) {
    bundle.resize(align(bundle.size()));
    bundle += file;
  }
  return bundle;
}

bool Compress(std::string& bundle) {
  const auto buffer = llvm::MemoryBuffer::getMemBuffer(bundle, "", false);
  auto compressed = llvm::object::CompressedOffloadBundle::compress(
      llvm::compression::Params(llvm::compression::Format::Zstd), *buffer,
      llvm::object::CompressedOffloadBundle::DefaultVersion);
  if (!compressed) return Report(compressed.takeError());
  bundle = (*compressed)->getBuffer().str();
  return true;
}

// The host's object with the other inputs as sections, which the host's linker drops.
bool AddSections(const Options& options, size_t host) {
  const std::string& object = options.contents[host];
  auto binary = llvm::object::ObjectFile::createObjectFile({object, options.inputs[host]});
  if (!binary) return Report(binary.takeError());
  llvm::objcopy::ConfigManager config;
  std::vector<std::string> names;
  for (const std::string& target : options.targets) names.push_back(SectionOf(target));
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == host) continue;
    config.Common.AddSection.emplace_back(
        names[i], llvm::MemoryBuffer::getMemBufferCopy(options.contents[i]));
    config.Common.SetSectionFlags[names[i]] = llvm::objcopy::SectionFlagsUpdate{
        llvm::StringRef(names[i]), static_cast<llvm::objcopy::SectionFlag>(
                                       llvm::objcopy::SecReadonly | llvm::objcopy::SecExclude)};
  }
  std::error_code error;
  llvm::raw_fd_ostream out(options.outputs[0], error);
  if (error) return Report(llvm::errorCodeToError(error));
  if (llvm::Error failure = llvm::objcopy::executeObjcopyOnBinary(config, **binary, out))
    return Report(std::move(failure));
  return true;
}

bool Join(const Options& options) {
  if (options.targets.size() != options.inputs.size() || options.outputs.size() != 1) {
    std::fprintf(stderr, "bundler: %zu targets for %zu inputs\n", options.targets.size(),
                 options.inputs.size());
    return false;
  }
  for (size_t i = 0; i < options.targets.size(); ++i) {
    if (IsHost(options.targets[i]) && !options.contents[i].empty()) return AddSections(options, i);
  }
  std::string bundle = Bundle(options);
  if (options.compress && !Compress(bundle)) return false;
  return WriteFile(options.outputs[0], bundle);
}

// The part of an object for a target; empty if there is none, or the file is no object.
std::string FindPart(llvm::MemoryBufferRef object, const std::string& target) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file) {
    llvm::consumeError(file.takeError());
    return "";
  }
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    if (name && contents && *name == SectionOf(target)) return contents->str();
    if (!name) llvm::consumeError(name.takeError());
    if (!contents) llvm::consumeError(contents.takeError());
  }
  return "";
}

// The parts that an archive's objects have for a target, as an archive.
bool WriteArchive(const std::string& archive, const std::string& target,
                  const std::string& output) {
  auto file = llvm::object::Archive::create({archive, "archive"});
  if (!file) return Report(file.takeError());
  std::vector<std::string> names;
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> parts;
  llvm::Error error = llvm::Error::success();
  for (const auto& child : (*file)->children(error)) {
    llvm::Expected<llvm::MemoryBufferRef> member = child.getMemoryBufferRef();
    if (!member) return Report(member.takeError());
    std::string part = FindPart(*member, target);
    if (part.empty()) continue;
    names.push_back(absl::StrCat(names.size(), "-", member->getBufferIdentifier().str(), ".bc"));
    parts.push_back(llvm::MemoryBuffer::getMemBufferCopy(part, names.back()));
  }
  if (error) return Report(std::move(error));
  std::vector<llvm::NewArchiveMember> members;
  for (const auto& part : parts) members.emplace_back(part->getMemBufferRef());
  if (llvm::Error failure =
          llvm::writeArchive(output, members, llvm::SymtabWritingMode::NormalSymtab,
                             llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false))
    return Report(std::move(failure));
  return true;
}

bool TakeApart(const Options& options) {
  if (options.targets.size() != options.outputs.size() || options.inputs.size() != 1) {
    std::fprintf(stderr, "bundler: %zu targets for %zu outputs\n", options.targets.size(),
                 options.outputs.size());
    return false;
  }
  const std::string& bundle = options.contents[0];
  for (size_t i = 0; i < options.targets.size(); ++i) {
    const std::string &target = options.targets[i], &output = options.outputs[i];
    const bool written = options.archive ? WriteArchive(bundle, target, output)
                         : IsHost(target)
                             ? WriteFile(output, bundle)
                             : WriteFile(output, FindPart({bundle, options.inputs[0]}, target));
    if (!written) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (Parse(argv[i], options)) continue;
    std::fprintf(stderr, "bundler: option %s is not one that clang passes for HIP\n", argv[i]);
    return 1;
  }
  if (!ReadInputs(options)) return 1;
  return (options.unbundle ? TakeApart(options) : Join(options)) ? 0 : 1;
}
