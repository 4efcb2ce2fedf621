// Stands in for clang-offload-bundler, which clang calls to join a program's code objects and which
// Debian's clang package is without. Understands what clang passes for HIP:
//
//   clang-offload-bundler -type=o -bundle-align=4096 -targets=a,b -input=f -input=g -output=h
//       [-compress]

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "llvm/Object/OffloadBundle.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace {

struct Options {
  std::vector<std::string> targets, inputs;
  std::string output;
  uint64_t alignment = 1;
  bool compress = false;
};

bool Parse(std::string_view argument, Options& options) {
  absl::ConsumePrefix(&argument, "-");
  absl::ConsumePrefix(&argument, "-");
  if (absl::ConsumePrefix(&argument, "targets=")) {
    options.targets = absl::StrSplit(argument, ',');
  } else if (absl::ConsumePrefix(&argument, "input=")) {
    options.inputs.emplace_back(argument);
  } else if (absl::ConsumePrefix(&argument, "output=")) {
    options.output = std::string(argument);
  } else if (absl::ConsumePrefix(&argument, "bundle-align=")) {
    return absl::SimpleAtoi(argument, &options.alignment) && options.alignment > 0;
  } else if (argument == "compress") {
    options.compress = true;
  } else {
    return argument == "type=o" || argument == "verbose" ||
           absl::StartsWith(argument, "compression-level=");
  }
  return true;
}

void AppendNumber(std::string& to, uint64_t value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The magic, a count, a table of {offset, size, length of the id, id}, then the files, aligned.
std::string Bundle(const Options& options) {
  std::vector<std::string> files;
  for (const std::string& input : options.inputs) {
    std::ifstream stream(input, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
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
  if (!compressed) {
    std::fprintf(stderr, "bundler: %s\n", llvm::toString(compressed.takeError()).c_str());
    return false;
  }
  bundle = (*compressed)->getBuffer().str();
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
  if (options.targets.size() != options.inputs.size() || options.output.empty()) {
    std::fprintf(stderr, "bundler: %zu targets for %zu inputs\n", options.targets.size(),
                 options.inputs.size());
    return 1;
  }
  std::string bundle = Bundle(options);
  if (options.compress && !Compress(bundle)) return 1;
  std::ofstream(options.output, std::ios::binary) << bundle;
  return 0;
}
