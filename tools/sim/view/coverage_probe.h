// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tools/sim/check/source_line.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/launch_probe.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/view/coverage.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// How often a launch executed each of its program's instructions, by index.
struct ExecutionCounts {
  /// Adds a straight run [first, last] that a wave left by its last instruction.
  void AddRun(uint32_t first, uint32_t last);
  void Add(const ExecutionCounts& other);

  std::vector<int64_t> differences;  // whose prefix sums are the executions
  std::vector<int64_t> left;         // by a jump from here
};

/// Counts what all launches of a process execute. Thread safe.
class CoverageRecord {
 public:
  /// The process's record, which is appended to the file that GRIDWISE_SIM_COVERAGE names when the
  /// process exits. Null without that variable.
  static CoverageRecord* Process();

  /// `program` is that of `object`; `source_line` may be null.
  void Add(const Program& program, const CodeObject& object, const SourceLineFn& source_line,
           const ExecutionCounts& counts);
  Coverage coverage() const;

 private:
  /// Where the instruction is counted: null for code of other objects.
  InstructionCoverage* Find(const Program& program, const CodeObject& object,
                            const SourceLineFn& source_line, uint32_t instruction);

  mutable std::mutex mutex_;
  Coverage coverage_{.runs = 1, .functions = {}};
  std::map<uint64_t, std::vector<InstructionCoverage*>> known_;  // by Program::id, instruction
};

/// Tells a CoverageRecord of one launch.
class CoverageProbe final : public LaunchProbe {
 public:
  /// The arguments must outlive the probe; `source_line` may be null.
  CoverageProbe(CoverageRecord& record, const CodeObject& object, const SourceLineFn& source_line)
      : record_(record), object_(object), source_line_(source_line) {}

  ProbeWants wants() const override { return {.runs = true}; }
  void Begin(const Launch& launch) override;
  std::unique_ptr<GroupProbe> OfThread(std::span<Wave> waves) override;
  /// Counts what led to the fault. The last straight runs of the launch's other waves are not.
  void Faulted(const Wave& wave, const std::string& sentence) override;
  void End(const RunReport* report) override;

 private:
  class Counter;

  CoverageRecord& record_;
  const CodeObject& object_;
  const SourceLineFn& source_line_;
  const Launch* launch_ = nullptr;
  std::mutex mutex_;
  ExecutionCounts counts_;
};

}  // namespace gridwise::sim
