#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sim/check/hazards.h"
#include "tools/sim/check/races.h"
#include "tools/sim/check/reporter.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/check/turns.h"
#include "tools/sim/check/uninit.h"
#include "tools/sim/check/waits.h"
#include "tools/sim/check/watch.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// "file:line" of an address of a code object, or "".
using SourceLineFn = std::function<std::string(uint64_t pc)>;

/// Keeps the facts of a program's instructions and puts a micro-op in front of each that checks
/// it. `source_line` is for reports.
class CheckObserver final : public InstructionObserver {
 public:
  explicit CheckObserver(TargetBit target, SourceLineFn source_line = nullptr)
      : target_(target), source_line_(std::move(source_line)) {}
  Uop Before(std::string_view text, const RegisterUses& uses, uint64_t pc, uint32_t index) override;
  std::string SourceLine(uint64_t pc) const { return source_line_ ? source_line_(pc) : ""; }
  TargetBit target() const { return target_; }

 private:
  /// Finds the loads of a loop that does nothing but wait for what they load to change: it stores
  /// nothing, and their addresses stay the same, so that a compiler would have moved others out.
  void MarkPolls(uint64_t loop);
  /// Marks the same load a little ahead of instruction `loop`: the first turn, peeled off.
  void MarkPeeledPoll(size_t loop, const InstructionFacts& load);

  const TargetBit target_;
  const SourceLineFn source_line_;
  std::deque<InstructionFacts> facts_;
};

/// What check mode knows of a launch.
struct LaunchCheck {
  CheckSettings settings;
  const Program* program = nullptr;
  const CheckObserver* observer = nullptr;
  std::string kernel;
  uint64_t entry = 0;  // address
  TargetBit target = kGfx942;
  int initial_scalars = 0;  // scalar registers that waves begin with
  Turns* turns = nullptr;   // of the host threads

  AccessHistory memory_history;
  SyncAddresses memory_sync;
  LaunchOrigins origins;
  uint32_t groups = 0;  // that have begun
  std::vector<WatchedRange> watched;

  /// A finding about `instruction` (its index in the program), without wave.
  Finding MakeFinding(Category category, uint32_t instruction) const;
  /// After the launch: watched bytes that were not written once.
  void ReportWatched() const;
};

class GroupCheck;

/// Checks one wave: Before each instruction, and Observe for what it does to memory.
class WaveCheck final : public Reporter {
 public:
  WaveCheck(GroupCheck& group, Wave& wave);

  /// False: the wave gives up its turn in front of the instruction (seeded interleaving).
  /// `first`: its first micro-op.
  bool Before(const InstructionFacts& facts, const Uop* first);
  void Observe(const Uop& uop, const MemoryAccess& access);

  void Report(Category category, std::string what, std::string detail, int lane,
              std::optional<uint64_t> address) override;
  Finding Make(Category category, std::string what, std::string detail, int lane,
               std::optional<uint64_t> address) const override;
  std::string Describe(uint32_t instruction) const override;

  int barriers() const { return barriers_; }
  const InstructionFacts& current() const { return *current_; }
  const WaitTracker& waits() const { return waits_; }

  WaveClocks& clocks() { return clocks_; }
  /// What of the wave is in the past of whoever synchronises with it now.
  GroupClocks Completed() const;
  /// That and what it knows of others. `by_lds`: by way of LDS, whose instructions stay in order.
  Clocks Known(bool by_lds) const;

 private:
  bool GivesUpTurn();
  void ObserveShared(const MemoryAccess& access);
  bool IsLds(const MemoryAccess& access) const;
  bool IsWatched(const MemoryAccess& access) const;
  void CheckPendingToLds(const MemoryAccess& access);
  void CheckRaces(const MemoryAccess& access);
  bool Repeats(const MemoryAccess& access, int lane) const;
  void Learn(const Clocks& published);
  /// Learns what `wave` had done and knew when it stored to LDS at its `clock`.
  void LearnFromStore(int wave, uint32_t clock);
  void ReportRace(const Conflict& conflict, const MemoryAccess& access, int lane, uint64_t address);

  GroupCheck& group_;
  LaunchCheck& launch_;
  Wave& wave_;
  const InstructionFacts* current_ = nullptr;
  uint64_t exec_at_start_ = 0;
  int barriers_ = 0;
  uint32_t clock_ = 0;  // memory instructions so far
  bool resumed_ = false;
  std::array<uint8_t, kLanes> observed_ = {};  // bytes of each lane that were, of the instruction
  WaitTracker waits_;
  HazardTracker hazards_;
  std::optional<UninitTracker> uninit_;
  WaveClocks clocks_;
};

/// Checks one workgroup.
class GroupCheck {
 public:
  /// `thread`: the host thread that executes it.
  GroupCheck(LaunchCheck& launch, int thread, Wave* waves, int wave_count);
  ~GroupCheck();

  /// A workgroup begins; its waves' registers are set up.
  void Begin(const std::array<uint32_t, 3>& id, int waves);
  /// All waves that have not ended wait at the barrier, which opens.
  void OpenBarrier();
  /// Every wave has had a turn. Other workgroups get one if there was no progress, or by the seed.
  void EndRound(bool progress);
  void End();
  /// Waves get their turns in the order of WaveOfTurn(0), ..., which ShuffleTurns makes anew if the
  /// settings have a seed.
  void ShuffleTurns();
  int WaveOfTurn(int turn) const { return order_[static_cast<size_t>(turn)]; }

  LaunchCheck& launch() const { return launch_; }
  int wave_count() const { return wave_count_; }
  uint32_t number() const { return number_; }
  AccessHistory& lds_history() { return lds_history_; }
  SyncAddresses& lds_sync() { return lds_sync_; }
  ByteShadow& lds_shadow() { return lds_shadow_; }
  const std::array<uint32_t, 3>& id() const { return id_; }
  WaveCheck& CheckOf(int wave) { return *checks_[static_cast<size_t>(wave)]; }
  std::mt19937_64& random() { return random_; }

 private:
  LaunchCheck& launch_;
  const int thread_;
  Wave* const waves_;
  const int wave_count_;
  uint32_t number_ = 0;  // in the launch
  AccessHistory lds_history_;
  SyncAddresses lds_sync_;
  ByteShadow lds_shadow_;
  std::array<uint32_t, 3> id_ = {};
  std::vector<std::unique_ptr<WaveCheck>> checks_;
  std::vector<int> order_;
  std::mt19937_64 random_;
};

}  // namespace gridwise::sim
