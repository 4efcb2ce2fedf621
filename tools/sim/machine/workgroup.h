// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/launch_probe.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

/// The waves' registers, LDS and scratch with which one host thread executes workgroups, one after
/// the other.
///
/// A wave's turn lasts until it ends, waits at a barrier, sleeps or has taken many branches. A
/// barrier opens when every wave that has not ended has signalled it, as on hardware.
class Workgroup {
 public:
  explicit Workgroup(const Launch& launch);
  ~Workgroup();
  Workgroup(const Workgroup&) = delete;
  Workgroup& operator=(const Workgroup&) = delete;

  /// Begins the workgroup `id`: its waves are at the kernel's first instruction.
  void Begin(const std::array<uint32_t, 3>& id);
  /// Whether all waves have ended.
  bool ended() const { return ended_ == wave_count_; }
  /// Gives `wave` a turn if it is ready. False: it has a fault.
  bool Step(int wave);
  /// Opens the barrier if it is time; ready waves go on then.
  bool OpenBarrier();
  /// Gives every wave a turn, in an order that the launch's seed shuffles, and opens the barrier
  /// if it is time. Null, or the wave that has a fault; `progress` is whether any wave ended or
  /// the barrier opened.
  const Wave* Round(bool& progress);
  /// Called when all waves have ended.
  void End();

  std::span<const Wave> waves() const { return {waves_.get(), static_cast<size_t>(wave_count_)}; }
  /// Executed instructions, by index in the program.
  std::vector<int64_t> Counts() const;
  /// Those executions whose effect public sources leave open (Wave::not_known).
  const std::map<uint32_t, int64_t>& not_known() const { return not_known_; }
  /// Executed waves, of all workgroups.
  int64_t executed_waves() const { return executed_waves_; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  template <class T>
  using AlignedArray = std::unique_ptr<T[], Free>;

  static Workgroup& Of(Wave& wave) { return *static_cast<Workgroup*>(wave.workgroup); }
  // What a wave calls.
  static const char* InterruptFromWave(Wave& wave);
  static const Uop* EnterFromWave(Wave& wave, const Uop& uop, uint64_t pc);
  static bool BeforeInstruction(Wave& wave, const InstructionFacts& facts, const Uop* first);
  static void ObserveAccess(Wave& wave, const Uop& uop, const MemoryAccess& access);
  static void NoteRun(Wave& wave, uint32_t first, uint32_t last);
  static void NoteOutsideLds(Wave& wave);
  static void NoteNotKnown(Wave& wave, const Uop& uop);
  static uint32_t BarrierStateForWave(Wave& wave);
  static bool SyncWaves(Wave& wave, WaveSyncOperation operation, uint32_t resource, uint32_t value);

  /// Finds out which probes watch the workgroup `id`.
  void ChooseProbes(const std::array<uint32_t, 3>& id);
  void Attach(Wave& wave);
  void GrowProfile();
  /// Whether the seed ends the wave's turn before an instruction.
  bool Preempts(const Wave& wave);
  /// The smallest number of times that a wave that has not ended has signalled the barrier.
  uint32_t LowestBarrierSignal() const;

  const Launch& launch_;
  const int wave_count_;  // as many as a full workgroup has
  int ended_ = 0;
  int64_t executed_waves_ = 0;
  uint32_t highest_barrier_signal_ = 0;
  AlignedArray<Wave> waves_;
  AlignedArray<std::byte> lds_;
  AlignedArray<std::byte> scratch_;
  std::vector<int64_t> differences_;
  std::map<uint32_t, int64_t> not_known_;
  Profile profile_;
  std::vector<std::pair<std::unique_ptr<GroupProbe>, ProbeWants>> all_probes_;
  // The probes that watch the present workgroup, and those of them that want to be told of
  // something.
  std::vector<GroupProbe*> probes_, by_step_, by_access_, by_run_;
  std::vector<int> order_;       // in which waves get their turns
  std::mt19937_64 random_;       // by the seed and the workgroup
  std::vector<bool> preempted_;  // by wave: it stopped before an instruction
};

}  // namespace gridwise::sim
