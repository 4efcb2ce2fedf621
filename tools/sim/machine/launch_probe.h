// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {

struct Launch;
struct RunReport;

/// The events that a probe wants to see. A launch pays only for those that one of its probes wants.
struct ProbeWants {
  /// GroupProbe::Before, called before each instruction. The code is bound a second time for it.
  bool steps = false;
  bool accesses = false;  // GroupProbe::Observe
  bool runs = false;      // GroupProbe::Ran
  /// LDS ends where the kernel's request ends, not at the end of the hardware's block. An access
  /// past it is no fault, but is reported to LaunchProbe::Faulted.
  bool exact_lds = false;
  /// One host thread executes the launch, and several workgroups take turns on it: the probe needs
  /// no locks, and runs can be repeated.
  bool serial = false;

  friend constexpr ProbeWants operator|(ProbeWants a, ProbeWants b) {
    return {a.steps || b.steps, a.accesses || b.accesses, a.runs || b.runs,
            a.exact_lds || b.exact_lds, a.serial || b.serial};
  }
};

/// Watches the workgroups that one host thread executes, one after the other. Only that thread
/// calls it. Functions that ProbeWants names are called if the LaunchProbe wants them, the others
/// always.
class GroupProbe {
 public:
  virtual ~GroupProbe() = default;

  /// Whether the workgroup `id`, which is about to begin, is watched. Others
  /// are executed as if there were no probe.
  virtual bool Watches(const std::array<uint32_t, 3>& /*id*/) { return true; }
  /// A workgroup begins; the registers of its first `waves` waves are set up.
  virtual void Begin(const std::array<uint32_t, 3>& /*id*/, int /*waves*/) {}
  /// `wave` is about to execute the instruction whose first micro-op is `first`. `facts` live as
  /// long as the program. False: the wave stops before it and comes here again in its next
  /// turn.
  virtual bool Before(Wave& /*wave*/, const InstructionFacts& /*facts*/, const Uop* /*first*/) {
    return true;
  }
  /// `uop` of `wave` is about to make `access`. An instruction may make several.
  virtual void Observe(Wave& /*wave*/, const Uop& /*uop*/, const MemoryAccess& /*access*/) {}
  /// `wave` has executed the straight run of instructions [first, last] (indices in the program)
  /// and leaves it by a jump, by s_endpgm or because its code is bound in another way from here.
  /// Instructions without a micro-op (s_nop, s_waitcnt) are in runs like all others; a run goes on
  /// where the wave stops inside of it.
  virtual void Ran(const Wave& /*wave*/, uint32_t /*first*/, uint32_t /*last*/) {}
  /// The wave's turn has ended: at a barrier or s_endpgm (Wave::state says which), or, still ready,
  /// at s_sleep, after many branches, or by Before. Wave::pc is where it goes on.
  virtual void Stopped(const Wave& /*wave*/) {}
  /// All waves that have not ended wait at the barrier, which opens.
  virtual void OpenBarrier() {}
  /// The workgroup has ended. Not called if a wave faulted.
  virtual void End() {}
};

/// Watches a launch: check mode, the count of bank conflicts, the clock. A probe is attached to one
/// launch (RunOptions::probes); a launch may have several.
class LaunchProbe {
 public:
  virtual ~LaunchProbe() = default;

  virtual ProbeWants wants() const = 0;
  /// The launch begins; `launch` stays until End.
  virtual void Begin(const Launch& /*launch*/) {}
  /// The probe of one host thread, which executes workgroups with `waves`. Threads of a launch call
  /// it concurrently. Null: that thread's workgroups are not watched.
  virtual std::unique_ptr<GroupProbe> OfThread(std::span<Wave> waves) = 0;
  /// `wave` has a fault (Wave::fault), which `sentence` explains.
  virtual void Faulted(const Wave& /*wave*/, const std::string& /*sentence*/) {}
  /// The launch has ended, and its group probes are gone. `report` is null if a wave faulted.
  virtual void End(const RunReport* /*report*/) {}
};

}  // namespace gridwise::sim
