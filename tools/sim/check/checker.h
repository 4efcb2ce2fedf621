// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/sim/check/hazards.h"
#include "tools/sim/check/races.h"
#include "tools/sim/check/reporter.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/check/source_lines.h"
#include "tools/sim/check/uninit.h"
#include "tools/sim/check/values.h"
#include "tools/sim/check/waits.h"
#include "tools/sim/check/watch.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/launch_probe.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// The state of check mode for a launch.
struct LaunchCheck {
  CheckSettings settings;
  SourceLineFn source_line;  // may be null
  const Program* program = nullptr;
  std::string kernel;
  uint64_t entry = 0;  // address
  TargetBit target = kGfx942;
  int initial_scalars = 0;  // scalar registers that waves begin with

  AccessHistory memory_history;
  SyncAddresses memory_sync;
  LaunchOrigins origins;
  FloatOps float_ops;
  uint32_t groups = 0;  // workgroups that have begun
  std::vector<WatchedRange> watched;

  /// A finding about `instruction` (its index in the program), without wave.
  Finding MakeFinding(Category category, uint32_t instruction) const;
  /// Reports watched bytes that were not written exactly once. Called after the launch.
  void ReportWatched() const;
};

class GroupCheck;

/// Checks one wave: Before each instruction, and Observe for what it does to memory.
class WaveCheck final : public Reporter {
 public:
  WaveCheck(GroupCheck& group, Wave& wave);

  /// `first`: the instruction's first micro-op.
  void Before(const InstructionFacts& facts, const Uop* first);
  void Observe(const MemoryAccess& access);

  void Report(Category category, std::string what, std::string detail, int lane,
              std::optional<uint64_t> address) override;
  Finding Make(Category category, std::string what, std::string detail, int lane,
               std::optional<uint64_t> address) const override;
  std::string Describe(uint32_t instruction) const override;

  int barriers() const { return barriers_; }
  const InstructionFacts& current() const { return *current_; }
  const WaitTracker& waits() const { return waits_; }

  WaveClocks& clocks() { return clocks_; }
  /// The accesses of the wave that happened before anything that synchronises with it now.
  GroupClocks Completed() const;
  /// Those, and the accesses of others that the wave knows of. `by_lds`: it synchronises through
  /// LDS, whose instructions stay in order.
  Clocks Known(bool by_lds) const;

 private:
  void ObserveShared(const MemoryAccess& access);
  bool IsWatched(const MemoryAccess& access) const;
  void CheckPendingToLds(const MemoryAccess& access);
  void CheckRaces(const MemoryAccess& access);
  bool Repeats(const MemoryAccess& access, int lane) const;
  void Learn(const Clocks& published);
  /// Takes over what `wave` had done and knew when it stored to LDS at its `clock`.
  void LearnFromStore(int wave, uint32_t clock);
  void ReportRace(const Conflict& conflict, const MemoryAccess& access, int lane, uint64_t address);

  GroupCheck& group_;
  LaunchCheck& launch_;
  Wave& wave_;
  const InstructionFacts* current_ = nullptr;
  uint64_t exec_at_start_ = 0;
  int barriers_ = 0;
  uint32_t clock_ = 0;                         // memory instructions so far
  std::array<uint8_t, kLanes> observed_ = {};  // bytes of each lane that were, of the instruction
  WaitTracker waits_;
  std::unique_ptr<HazardTracker> hazards_;  // null: not asked for
  std::optional<UninitTracker> uninit_;
  std::optional<ValueTracker> values_;
  WaveClocks clocks_;
};

/// Checks the workgroups of one host thread.
class GroupCheck final : public GroupProbe {
 public:
  GroupCheck(LaunchCheck& launch, std::span<Wave> waves) : launch_(launch), waves_(waves) {}

  void Begin(const std::array<uint32_t, 3>& id, int waves) override;
  bool Before(Wave& wave, const InstructionFacts& facts, const Uop* first) override;
  void Observe(Wave& wave, const Uop& uop, const MemoryAccess& access) override;
  void OpenBarrier() override;
  void End() override;

  LaunchCheck& launch() const { return launch_; }
  int wave_count() const { return static_cast<int>(waves_.size()); }
  uint32_t number() const { return number_; }
  AccessHistory& lds_history() { return lds_history_; }
  SyncAddresses& lds_sync() { return lds_sync_; }
  ByteShadow& lds_shadow() { return lds_shadow_; }
  const std::array<uint32_t, 3>& id() const { return id_; }
  WaveCheck& CheckOf(int wave) { return *checks_[static_cast<size_t>(wave)]; }

 private:
  LaunchCheck& launch_;
  const std::span<Wave> waves_;
  uint32_t number_ = 0;  // in the launch
  AccessHistory lds_history_;
  SyncAddresses lds_sync_;
  ByteShadow lds_shadow_;
  std::array<uint32_t, 3> id_ = {};
  std::vector<std::unique_ptr<WaveCheck>> checks_;
};

/// Checks one launch.
class CheckProbe final : public LaunchProbe {
 public:
  /// `source_line`, which may be null, is for reports.
  explicit CheckProbe(const CheckSettings& settings, SourceLineFn source_line = nullptr);

  ProbeWants wants() const override {
    return {.steps = true, .accesses = true, .exact_lds = true, .serial = true};
  }
  void Begin(const Launch& launch) override;
  std::unique_ptr<GroupProbe> OfThread(std::span<Wave> waves) override;
  /// A bad address is a finding.
  void Faulted(const Wave& wave, const std::string& sentence) override;
  void End(const RunReport* report) override;

 private:
  LaunchCheck check_;
};

}  // namespace gridwise::sim
