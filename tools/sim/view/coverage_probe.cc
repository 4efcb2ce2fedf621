// SPDX-License-Identifier: MIT
#include "tools/sim/view/coverage_probe.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/xxhash.h"

namespace gridwise::sim {
namespace {

constexpr const char* kVariable = "GRIDWISE_SIM_COVERAGE";

pid_t owner;  // the process whose record it is, not one that was forked from it with a copy

void WriteAtExit() {
  if (getpid() != owner) return;
  const absl::Status status =
      AppendCoverage(std::getenv(kVariable), CoverageRecord::Process()->coverage());
  if (!status.ok())
    std::fprintf(stderr, "gridwise sim: %s\n", std::string(status.message()).c_str());
}

uint64_t HashOfCode(uint64_t address, uint64_t bytes) {
  // Device addresses are host addresses.
  return llvm::xxh3_64bits(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(address), bytes));
}

void AddTo(std::vector<int64_t>& sums, const std::vector<int64_t>& values) {
  sums.resize(std::max(sums.size(), values.size()));
  for (size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

}  // namespace

void ExecutionCounts::AddRun(uint32_t first, uint32_t last) {
  if (last + 1 >= differences.size()) {
    differences.resize(last + 2);
    left.resize(last + 2);
  }
  ++differences[first];
  --differences[last + 1];
  ++left[last];
}

void ExecutionCounts::Add(const ExecutionCounts& other) {
  AddTo(differences, other.differences);
  AddTo(left, other.left);
}

CoverageRecord* CoverageRecord::Process() {
  // Never destroyed: it is written at exit.
  static auto* const record = []() -> CoverageRecord* {
    if (std::getenv(kVariable) == nullptr) return nullptr;
    owner = getpid();
    std::atexit(&WriteAtExit);
    return new CoverageRecord();
  }();
  return record;
}

InstructionCoverage* CoverageRecord::Find(const Program& program, const CodeObject& object,
                                          const SourceLineFn& source_line, uint32_t instruction) {
  Program::InstructionInfo info = program.Describe(instruction);
  const Symbol* const function = object.FindFunction(info.pc);
  if (info.text.empty() || function == nullptr) return nullptr;
  FunctionCoverage& known =
      coverage_.functions[{.gfx = std::string(object.gfx()),
                           .name = function->name,
                           .code = HashOfCode(function->address, function->bytes)}];
  known.bytes = function->bytes;
  if (source_line && known.instructions.empty())
    known.source = source_line(function->address, LineOf::kFunction);
  InstructionCoverage& counted = known.instructions[info.pc - function->address];
  if (counted.text.empty()) {
    counted.branches = absl::StartsWith(info.text, "s_cbranch_");
    counted.text = std::move(info.text);
    if (source_line) counted.source = source_line(info.pc, LineOf::kInstruction);
  }
  return &counted;
}

void CoverageRecord::Add(const Program& program, const CodeObject& object,
                         const SourceLineFn& source_line, const ExecutionCounts& counts) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = known_.try_emplace(program.id());
  if (is_new) {
    for (const KernelInfo& kernel : object.kernels()) {
      FunctionCoverage& function =
          coverage_.functions[{.gfx = std::string(object.gfx()),
                               .name = kernel.name,
                               .code = HashOfCode(kernel.entry_address, kernel.code_bytes)}];
      function.kernel = true;
      function.bytes = kernel.code_bytes;
    }
  }
  std::vector<InstructionCoverage*>& known = entry->second;
  for (uint32_t i = static_cast<uint32_t>(known.size()); i < program.instructions(); ++i)
    known.push_back(Find(program, object, source_line, i));
  int64_t executions = 0;
  for (size_t i = 0; i < std::min(known.size(), counts.differences.size()); ++i) {
    executions += counts.differences[i];
    if (known[i] == nullptr) continue;
    known[i]->executions += executions;
    if (known[i]->branches) known[i]->taken += counts.left[i];
  }
}

Coverage CoverageRecord::coverage() const {
  const std::lock_guard lock(mutex_);
  return coverage_;
}

/// The runs of one host thread's waves.
class CoverageProbe::Counter final : public GroupProbe {
 public:
  explicit Counter(CoverageProbe& probe) : probe_(probe) {}
  ~Counter() override {
    const std::lock_guard lock(probe_.mutex_);
    probe_.counts_.Add(counts_);
  }
  void Ran(const Wave&, uint32_t first, uint32_t last) override { counts_.AddRun(first, last); }

 private:
  CoverageProbe& probe_;
  ExecutionCounts counts_;
};

void CoverageProbe::Begin(const Launch& launch) {
  launch_ = &launch;
  counts_ = {};
}

std::unique_ptr<GroupProbe> CoverageProbe::OfThread(std::span<Wave>) {
  return std::make_unique<Counter>(*this);
}

void CoverageProbe::Faulted(const Wave& wave, const std::string&) {
  if (wave.state != WaveState::kFaulted) return;
  const std::lock_guard lock(mutex_);
  counts_.AddRun(wave.run_start, wave.fault.uop->instruction);
}

void CoverageProbe::End(const RunReport*) {
  record_.Add(*launch_->program, object_, source_line_, counts_);
}

}  // namespace gridwise::sim
