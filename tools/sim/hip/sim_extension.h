#pragma once

#include <stdint.h>

/// What the simulator's HIP library can tell beyond the HIP API. The functions are declared weak: a
/// program that checks them for null links against the real libamdhip64 as well.

#ifdef __cplusplus
extern "C" {
#endif

#define GRIDWISE_SIM_CLASSES 8

/// What the last kernel launch of the process executed.
typedef struct GridwiseSimRun {
  int64_t workgroups;
  int64_t waves;
  double seconds;                                 // wall time of the simulation
  const char* class_names[GRIDWISE_SIM_CLASSES];  // "salu", "valu", "mma", ...
  int64_t instructions[GRIDWISE_SIM_CLASSES];     // wave instructions executed, by class
} GridwiseSimRun;

/// Fills in `run`; 0, or 1 if no launch has finished.
__attribute__((weak)) int gridwiseSimLastRun(GridwiseSimRun* run);

/// Workgroups of the launch in progress that are done, and all of them; may be called while another
/// thread launches.
__attribute__((weak)) void gridwiseSimProgress(uint64_t* done, uint64_t* total);

/// The sentence that the last failing launch or module load of the process reported; "" if none has
/// failed. Stays valid.
__attribute__((weak)) const char* gridwiseSimLastFault(void);

/// How gfx942's matrix instructions on formats below 32 bits add from now on: exactly as the hardware
/// does, or (0) fast, as at start unless GRIDWISE_SIM_MATRIX=exact.
__attribute__((weak)) void gridwiseSimSetExactMatrices(int exact);

/// The matrix, dot product and transcendental opcodes that kernels of the process have executed, with
/// target, count and fidelity ("exact", "1 ulp", "approximate"), as JSON. Stays valid until the
/// thread's next call.
__attribute__((weak)) const char* gridwiseSimFidelity(void);

#ifdef __cplusplus
}
#endif
