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
  const char* class_names[GRIDWISE_SIM_CLASSES];  // "salu", "valu", "mma", ...
  int64_t instructions[GRIDWISE_SIM_CLASSES];     // wave instructions executed, by class
} GridwiseSimRuns;

/// Fills in `runs` with the launches of the process that have finished since the last call; 0, or 1
/// if none has.
__attribute__((weak)) int gridwiseSimTakeRuns(GridwiseSimRuns* runs);

/// Workgroups of the launch in progress that are done, and all of them; may be called while another
/// thread launches.
__attribute__((weak)) void gridwiseSimProgress(uint64_t* done, uint64_t* total);

/// The sentence that the last failing launch or module load of the process reported; "" if none has
/// failed. Stays valid.
__attribute__((weak)) const char* gridwiseSimLastFault(void);

/// How gfx942's matrix instructions on formats below 32 bits add from now on: exactly as the
/// hardware does, or (0) fast, as at start unless GRIDWISE_SIM_MATRIX=exact.
__attribute__((weak)) void gridwiseSimSetExactMatrices(int exact);

/// The matrix, dot product and transcendental opcodes that kernels of the process have executed,
/// with target, count and fidelity ("exact", "1 ulp", "approximate"), as JSON. Stays valid until
/// the thread's next call.
__attribute__((weak)) const char* gridwiseSimFidelity(void);

/// Whether launches from now on count LDS bank conflicts, which makes them slower. Not in check
/// mode. Forgets what was counted.
__attribute__((weak)) void gridwiseSimCountBankConflicts(int on);

/// An instruction of a counted launch that lost cycles to LDS bank conflicts.
typedef struct GridwiseSimBankConflicts {
  const char* kernel;  // stays valid until the next gridwiseSimCountBankConflicts
  uint64_t pc;         // bytes from the kernel's entry
  int64_t executions;  // by waves
  int64_t cycles;      // of all of them together, beyond those without conflicts
} GridwiseSimBankConflicts;

/// What was counted, launch by launch in the order of addresses: 0, or 1 if there is no such index.
__attribute__((weak)) int gridwiseSimBankConflictsAt(int index,
                                                     GridwiseSimBankConflicts* conflicts);

/// --- Check mode (tools/sim/check/README.md) ---

/// What is checked of launches from now on, in place of the environment variable GRIDWISE_SIM:
/// "check", "check:waits,races" or "run"; with "deferred," in front of it, or "deferred" alone,
/// operations of streams run when the host waits for them. 0, or 1 if `mode` is not understood.
__attribute__((weak)) int gridwiseSimCheck(const char* mode);
/// Seeded interleaving of waves and workgroups, and of deferred operations, from the next launch
/// on, in place of GRIDWISE_SIM_SEED.
__attribute__((weak)) void gridwiseSimSeed(int on, uint64_t seed);

/// In the next launch each of the `bytes` bytes at `address` must be written exactly once.
__attribute__((weak)) void gridwiseSimWatch(const void* address, uint64_t bytes);

/// A mistake that check mode has found. Strings stay valid until gridwiseSimClearFindings.
typedef struct GridwiseSimFinding {
  const char* category;  // "waits", "hazards", "bounds", "races", "barriers", "watch", "uninit"
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

/// Number of distinct findings of the process so far, and one of them by its index: 0, or 1 if
/// there is none.
__attribute__((weak)) int gridwiseSimFindingCount(void);
__attribute__((weak)) int gridwiseSimFindingAt(int index, GridwiseSimFinding* finding);
__attribute__((weak)) void gridwiseSimClearFindings(void);

#ifdef __cplusplus
}
#endif
