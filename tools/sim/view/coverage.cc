// SPDX-License-Identifier: MIT
#include "tools/sim/view/coverage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "tools/text/read_file.h"

namespace gridwise::sim {
namespace {

constexpr std::string_view kBegin = "gridwise coverage 1", kEnd = "end";

/// Takes the next word off `line`.
std::string_view Word(std::string_view& line) {
  const size_t space = line.find(' ');
  const std::string_view word = line.substr(0, space);
  line.remove_prefix(space == line.npos ? line.size() : space + 1);
  return word;
}

/// Takes a number that is not negative.
bool TakeNumber(std::string_view& line, int64_t& value) {
  return absl::SimpleAtoi(Word(line), &value) && value >= 0;
}

void AddCount(int64_t& sum, int64_t count) {
  if (__builtin_add_overflow(sum, count, &sum)) sum = std::numeric_limits<int64_t>::max();
}

/// The lines of one block.
class BlockParser {
 public:
  /// False if `line` is not understood.
  bool Take(std::string_view line) {
    const std::string_view kind = Word(line);
    if (kind == "file") {
      files_.emplace_back(line);
      return true;
    }
    if (kind == "kernel" || kind == "function") return TakeFunction(kind == "kernel", line);
    return kind == "i" && TakeInstruction(line);
  }
  Coverage& coverage() { return coverage_; }

 private:
  bool TakeFunction(bool kernel, std::string_view line) {
    FunctionKey key;
    int64_t bytes = 0;
    key.gfx = Word(line);
    SourceLine source;
    if (!absl::SimpleHexAtoi(Word(line), &key.code) || !TakeNumber(line, bytes) ||
        !TakeSource(line, source) || line.empty()) {
      return false;
    }
    key.name = line;
    function_ = &coverage_.functions[key];
    function_->source = std::move(source);
    function_->kernel = kernel;
    function_->bytes = static_cast<uint64_t>(bytes);
    return true;
  }

  /// A file's number and a line: 0 0 where there is none.
  bool TakeSource(std::string_view& line, SourceLine& source) const {
    int64_t file = 0, number = 0;
    if (!TakeNumber(line, file) || !TakeNumber(line, number)) return false;
    if (number == 0) return true;
    if (file >= static_cast<int64_t>(files_.size()) || number > std::numeric_limits<int>::max())
      return false;
    source = {.file = files_[static_cast<size_t>(file)], .line = static_cast<int>(number)};
    return true;
  }

  bool TakeInstruction(std::string_view line) {
    int64_t offset = 0;
    InstructionCoverage instruction;
    if (!TakeNumber(line, offset) || !TakeNumber(line, instruction.executions)) return false;
    instruction.branches = !absl::StartsWith(line, "- ");
    if (instruction.branches ? !TakeNumber(line, instruction.taken) : Word(line) != "-")
      return false;
    if (!TakeSource(line, instruction.source) || function_ == nullptr) return false;
    instruction.text = line;
    function_->instructions[static_cast<uint64_t>(offset)] = std::move(instruction);
    return true;
  }

  Coverage coverage_ = {.runs = 1, .functions = {}};
  std::vector<std::string> files_;
  FunctionCoverage* function_ = nullptr;
};

absl::Status FileError(std::string_view path, std::string_view doing) {
  return absl::UnavailableError(
      absl::StrCat("the coverage file ", path, " cannot be ", doing, ": ", std::strerror(errno)));
}

}  // namespace

void Coverage::Add(const Coverage& other) {
  runs += other.runs;
  for (const auto& [key, function] : other.functions) {
    FunctionCoverage& mine =
        functions.try_emplace(key, function.kernel, function.bytes, function.source).first->second;
    for (const auto& [offset, instruction] : function.instructions) {
      const auto [known, is_new] = mine.instructions.try_emplace(offset, instruction);
      if (is_new) continue;
      AddCount(known->second.executions, instruction.executions);
      AddCount(known->second.taken, instruction.taken);
      if (known->second.source.line == 0) known->second.source = instruction.source;
    }
  }
}

std::string CoverageBlock(const Coverage& coverage) {
  // On a line of its own, whatever a killed process has left.
  std::string block = absl::StrCat("\n", kBegin, "\n");
  std::map<std::string, size_t> files;
  const auto name = [&](const SourceLine& source) {
    if (source.line != 0 && files.try_emplace(source.file, files.size()).second)
      absl::StrAppend(&block, "file ", source.file, "\n");
  };
  for (const auto& [key, function] : coverage.functions) {
    name(function.source);
    for (const auto& [offset, instruction] : function.instructions) name(instruction.source);
  }
  const auto where = [&](const SourceLine& source) {
    return absl::StrCat(source.line == 0 ? 0 : files.at(source.file), " ", source.line);
  };
  for (const auto& [key, function] : coverage.functions) {
    absl::StrAppendFormat(&block, "%s %s %x %d %s %s\n", function.kernel ? "kernel" : "function",
                          key.gfx, key.code, function.bytes, where(function.source), key.name);
    for (const auto& [offset, i] : function.instructions) {
      absl::StrAppendFormat(&block, "i %d %d %s %s %s\n", offset, i.executions,
                            i.branches ? absl::StrCat(i.taken) : "-", where(i.source), i.text);
    }
  }
  absl::StrAppend(&block, kEnd, "\n");
  return block;
}

absl::StatusOr<Coverage> ParseCoverage(std::string_view text) {
  Coverage sum;
  std::optional<BlockParser> block;
  absl::Status status;  // the block's: no error before it has its end
  int64_t number = 0;
  for (const std::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line == kBegin) {
      block.emplace();
      status = absl::OkStatus();
      continue;
    }
    const bool begins = !block && kBegin.starts_with(line);  // what a killed process has left
    if (line.empty() || begins) continue;
    if (block && line == kEnd) {
      if (!status.ok()) return status;
      sum.Add(block->coverage());
      block.reset();
    } else if (status.ok() && (!block || !block->Take(line))) {
      status = absl::InvalidArgumentError(
          absl::StrFormat("line %d of the coverage file is not understood: '%s'", number, line));
    }
    if (!block && !status.ok()) return status;
  }
  return sum;
}

absl::Status AppendCoverage(const std::string& path, const Coverage& coverage) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return FileError(path, "opened");
  const absl::Cleanup close_file = [file] { close(file); };  // gives the lock back
  if (flock(file, LOCK_EX) != 0) return FileError(path, "locked");
  const std::string block = CoverageBlock(coverage);
  for (std::string_view left = block; !left.empty();) {
    const ssize_t written = write(file, left.data(), left.size());
    if (written < 0 && errno != EINTR) return FileError(path, "written");
    if (written > 0) left.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::StatusOr<Coverage> ReadCoverage(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<Coverage> coverage = ParseCoverage(*text);
  if (!coverage.ok())
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", coverage.status().message()));
  return coverage;
}

}  // namespace gridwise::sim
