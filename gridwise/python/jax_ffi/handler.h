// SPDX-License-Identifier: MIT
#pragma once

#include "gridwise/c/gridwise.h"
#include "gridwise/python/jax_ffi/xla_ffi.h"

// What gridwise.jax registers with XLA (by ctypes): a custom call that launches a plan,
//
//   out[, workspace] = call(a, b), with the attribute plan, the plan's line
//
// The line makes compiled programs mean the same in every process, those of JAX's compilation cache
// among them. XLA plans the workspace's memory with all other memory of the program.

extern "C" {

/// The functions of libgridwise.so that are called.
struct gridwise_jax_library {
  decltype(&gridwise_parse_plan) parse_plan;
  decltype(&gridwise_free_plan) free_plan;
  decltype(&gridwise_load) load;
  decltype(&gridwise_launch) launch;
  decltype(&gridwise_message) message;
};

/// Sets them; before any other call. `library` is copied.
void gridwise_jax_open(const gridwise_jax_library* library);

/// Handler of XLA's stage "initialize", before each run of a program: loads the plan on the device,
/// unless it is loaded. Loaded plans stay so: graphs may have captured their launches.
///
/// Errors: those of gridwise_parse_plan and gridwise_load, and INVALID_ARGUMENT for another call
/// than the above.
gridwise::jax_ffi::Error* gridwise_jax_initialize(gridwise::jax_ffi::Frame* frame);

/// Handler of the stage "execute": launches the plan on XLA's stream. Allocates nothing and waits
/// for nothing, so that XLA may capture it into a CUDA graph.
///
/// Errors: those of gridwise_jax_initialize and gridwise_launch.
gridwise::jax_ffi::Error* gridwise_jax_execute(gridwise::jax_ffi::Frame* frame);
}
