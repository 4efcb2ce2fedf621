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

#ifdef __cplusplus
}
#endif
