#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tools/sim/elf/code_object.h"
#include "tools/sim/machine/grid.h"
#include "tools/sim/machine/lds_banks.h"
#include "tools/sim/machine/memory.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

class GroupCheck;
struct LaunchCheck;

/// What all workgroups of a launch share.
struct Launch {
  Program* program = nullptr;
  const Uop* entry = nullptr;
  const KernelInfo* kernel = nullptr;
  Memory* memory = nullptr;
  Grid grid;
  uint32_t lds_bytes = 0;
  uint64_t kernarg = 0;                              // address
  uint64_t dispatch_packet = 0;                      // address of an AQL kernel dispatch packet
  uint64_t queue = 0;                                // address of a queue descriptor, all zero
  std::function<const char*()> interrupt = nullptr;  // as of RunOptions
  LaunchCheck* check = nullptr;                      // null outside check mode
  bool count_bank_conflicts = false;
};

/// How waves of `kernel` begin to see the code, which its descriptor says.
CodeView InitialView(const Program& program, const KernelInfo& kernel);

/// How many scalar registers the waves of `kernel` begin with: arguments and ids.
int InitialScalars(const KernelInfo& kernel);

/// One host thread's place to execute workgroups in, one after the other: the waves' registers, LDS
/// and scratch.
class Workgroup {
 public:
  /// `thread`: which of the launch's threads it is of.
  explicit Workgroup(const Launch& launch, int thread = 0);
  ~Workgroup();

  /// Executes the workgroup `id` to its end. Returns the wave that faulted, or null.
  ///
  /// Once `stop` is set, because another workgroup has faulted, this one may be waiting for it in
  /// vain: it ends as soon as its waves do nothing but take turns.
  ///
  /// A wave runs until it ends, waits at a barrier, sleeps or has taken many branches; then the
  /// next one does. A barrier opens when every wave that has not ended has signalled it, as on
  /// hardware.
  const Wave* Run(const std::array<uint32_t, 3>& id, const std::atomic<bool>& stop);

  /// Executed instructions, by index in the program.
  std::vector<int64_t> Counts() const;
  /// Executed waves.
  int64_t waves() const { return executed_waves_; }
  /// What the launch asked to be counted, or null.
  const BankCounter* banks() const { return banks_ ? &*banks_ : nullptr; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  template <class T>
  using AlignedArray = std::unique_ptr<T[], Free>;

  static void CountBanks(Wave& wave, const Uop& uop, const MemoryAccess& access);
  static const char* InterruptFromWave(Wave& wave);
  static void ReportOutsideLds(Wave& wave);
  static const Uop* EnterFromWave(Wave& wave, const Uop& uop, uint64_t pc);
  void Prepare(Wave& wave, int index, const std::array<uint32_t, 3>& id);
  void SetUserRegisters(Wave& wave);
  void SetWorkItems(Wave& wave, int index, const std::array<uint32_t, 3>& id);
  void GrowProfile();
  int WaveOfTurn(int turn);
  /// How often the wave that has signalled the barrier least has done so, of those that have not
  /// ended.
  uint32_t LowestBarrierSignal() const;

  const Launch& launch_;
  int wave_count_ = 0;  // of a full workgroup
  int64_t executed_waves_ = 0;
  uint32_t scratch_bytes_ = 0;  // of a lane
  uint32_t highest_barrier_signal_ = 0;
  AlignedArray<Wave> waves_;
  AlignedArray<std::byte> lds_;
  AlignedArray<std::byte> scratch_;
  std::vector<int64_t> differences_;
  Profile profile_;
  std::unique_ptr<GroupCheck> check_;  // null outside check mode
  std::optional<BankCounter> banks_;   // if the launch wants them counted
};

}  // namespace gridwise::sim
