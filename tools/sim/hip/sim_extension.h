// SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

/// What the simulator's HIP library can tell beyond the HIP API. The functions are declared weak: a
/// program that checks them for null links against the real libamdhip64 as well.

#ifdef __cplusplus
extern "C" {
#endif

#define GRIDWISE_SIM_CLASSES 8

/// What kernel launches executed.
typedef struct GridwiseSimRuns {
  int64_t launches;
  int64_t workgroups;
  int64_t waves;
  double seconds;                                 // wall time of the simulation
  int threads;                                    // host threads of the launch with the most
  const char* class_names[GRIDWISE_SIM_CLASSES];  // "salu", "valu", "mma", ...
  int64_t instructions[GRIDWISE_SIM_CLASSES];     // wave instructions executed, by class
  double ports_ms;    // lower bound for any order of execution; 0 unless gridwiseSimCountPorts
  const char* ports;  // what sets the bound of the launch with the most: "matrix unit"; stays valid
} GridwiseSimRuns;

/// Fills in `runs` with the launches of the process that have finished since the last call; 0, or 1
/// if none has.
__attribute__((weak)) int gridwiseSimTakeRuns(GridwiseSimRuns* runs);

/// Adds a device to those of the process, unless it is there already: a product or a partition of
/// one, named as in GRIDWISE_SIM_DEVICES ("RX 7600", "MI300X/CPX", "gfx942"). Returns 0, or 1
/// and does nothing if there is no such product, GRIDWISE_SIM_DEVICES is set, or the program has
/// called HIP before.
__attribute__((weak)) int gridwiseSimAddDevice(const char* name);

/// 1 if launches are timed by the simulator's clock now (GRIDWISE_SIM=time), else 0.
__attribute__((weak)) int gridwiseSimIsTimed(void);

/// Workgroups of the launch in progress that are done, and all of them; may be called while another
/// thread launches.
__attribute__((weak)) void gridwiseSimProgress(uint64_t* done, uint64_t* total);

/// The sentence that the last failing launch or module load of the process reported; "" if none has
/// failed. Stays valid.
__attribute__((weak)) const char* gridwiseSimLastFault(void);

/// Sets how gfx942's matrix instructions add up formats below 32 bits: exactly as the hardware
/// does, or fast (0). They begin fast unless GRIDWISE_SIM_MATRIX=exact.
__attribute__((weak)) void gridwiseSimSetExactMatrices(int exact);

/// The matrix, dot product and transcendental opcodes that kernels of the process have executed,
/// with target, count and fidelity ("exact", "1 ulp", "approximate"), and opcodes of any kind with
/// "not known" (tools/sim/isa/README.md), as JSON. Stays valid until the thread's next call.
__attribute__((weak)) const char* gridwiseSimFidelity(void);

/// Sets whether later launches compute GridwiseSimRuns::ports_ms, for long runs, from all that they
/// execute and the addresses of a few workgroups. This costs a few per cent. Check mode and time
/// mode ignore it.
__attribute__((weak)) void gridwiseSimCountPorts(int on);

/// Sets whether later launches count LDS bank conflicts, which makes them slower. Check mode
/// ignores it. Discards earlier counts.
__attribute__((weak)) void gridwiseSimCountBankConflicts(int on);

/// An instruction of a counted launch that lost cycles to LDS bank conflicts.
typedef struct GridwiseSimBankConflicts {
  const char* kernel;  // stays valid until the next gridwiseSimCountBankConflicts
  uint64_t pc;         // bytes from the kernel's entry
  int64_t executions;  // by waves
  int64_t cycles;      // of all accesses together, beyond what they take without conflicts
} GridwiseSimBankConflicts;

/// Fills in the count of number `index`: launch by launch, and by address within a launch. Returns
/// 0, or 1 if there is no such index.
__attribute__((weak)) int gridwiseSimBankConflictsAt(int index,
                                                     GridwiseSimBankConflicts* conflicts);

/// --- Time mode (tools/sim/time/README.md) ---

/// Sets whether later launches are timed instead of executed whole, overriding the environment
/// variable GRIDWISE_SIM:
///   0  they are executed
///   1  they are timed
///   2  they are timed and described on stderr
///   3  they are timed quickly: from a smaller sample, without limiter and interval
///   4  as 3, but only the sample of what an XCD's workgroups load is smaller: more precise
__attribute__((weak)) void gridwiseSimTime(int mode);

/// Says in words what later launches compute, for the report of GRIDWISE_SIM_TIME_REPORT.
__attribute__((weak)) void gridwiseSimNameLaunches(const char* what);

/// Sets a limit on the time of launches: once those since the last gridwiseSimTakeTimes take more
/// than `ms` milliseconds together, in long runs, timing stops (GridwiseSimTimes::given_up). The
/// limit is infinity at start.
__attribute__((weak)) void gridwiseSimTimeLimit(double ms);

/// How long launches take on the simulated machine, one after the other with gaps between them.
typedef struct GridwiseSimTimes {
  int64_t launches;
  const char* machine;   // "MI300X"; stays valid
  double burst_mhz;      // clock of short runs
  double sustained_mhz;  // clock in long runs while the matrix units never idle
  double burst_ms;       // in short runs
  double sustained_ms;   // in long runs: at least burst_ms, and what sustained_mhz allows
  /// Bounds of sustained_ms, from the ranges of the machine's other parameters.
  double low_ms, high_ms;
  double ports_ms;      // lower bound for any order of execution, in long runs
  const char* ports;    // what sets the bound of the longest launch: "matrix unit"; stays valid
  const char* limiter;  // resource whose absence would help the longest launch most; stays valid
  double gain;          // how much it would help: part of the launch's time
  int given_up;         // they take longer than gridwiseSimTimeLimit: the times are lower bounds
} GridwiseSimTimes;

/// Fills in `times` with the launches that were timed since the last call; 0, or 1 if none was.
__attribute__((weak)) int gridwiseSimTakeTimes(GridwiseSimTimes* times);

/// --- Check mode (tools/sim/check/README.md) ---

/// Sets what is checked in later launches, overriding the environment variable GRIDWISE_SIM:
/// "check", "check:waits,races" or "run". With "deferred," before it, or "deferred" alone,
/// operations of streams run when the host waits for them. Returns 0, or 1 if `mode` is not
/// understood.
__attribute__((weak)) int gridwiseSimCheck(const char* mode);
/// Turns on or off that waves, workgroups and deferred operations interleave by a seed, from the
/// next launch on, overriding GRIDWISE_SIM_SEED.
__attribute__((weak)) void gridwiseSimSeed(int on, uint64_t seed);

/// In the next launch each of the `bytes` bytes at `address` must be written exactly once.
__attribute__((weak)) void gridwiseSimWatch(const void* address, uint64_t bytes);

/// A mistake that check mode has found. Strings stay valid until gridwiseSimClearFindings.
typedef struct GridwiseSimFinding {
  const char* category;  // "waits", "races", ...: as in the table of tools/sim/check/README.md
  const char* kernel;
  const char* source;       // "file.hip:12", "" without debug information
  const char* instruction;  // text
  const char* sentence;     // all of it
  uint64_t pc;              // bytes from the kernel's entry
  uint32_t workgroup[3];
  int wave, lane;    // -1: not one wave's, not one lane's
  uint64_t address;  // 0: none
  int64_t count;     // how often
} GridwiseSimFinding;

/// The number of distinct findings of the process so far; and one of them by index, which returns
/// 0, or 1 if there is no such index.
__attribute__((weak)) int gridwiseSimFindingCount(void);
__attribute__((weak)) int gridwiseSimFindingAt(int index, GridwiseSimFinding* finding);
__attribute__((weak)) void gridwiseSimClearFindings(void);

#ifdef __cplusplus
}
#endif
