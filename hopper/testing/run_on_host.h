// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>

#include "core/arch/host_threads.h"

// Stands in for the AMD compiler's declarations that gpu.h requires, since it takes the host for
// AMD.
namespace gridwise {
inline int host_workgroup_id = 0;
}  // namespace gridwise
// NOLINTBEGIN(bugprone-reserved-identifier)
#define __builtin_amdgcn_workitem_id_x() gridwise::host_thread_id
#define __builtin_amdgcn_workgroup_id_x() gridwise::host_workgroup_id
#define __builtin_amdgcn_workgroup_id_y() 0
#define __builtin_amdgcn_workgroup_id_z() 0
#define __builtin_amdgcn_readfirstlane(x) (x)
#define __builtin_amdgcn_ballot_w64(x) (x)
#define __builtin_amdgcn_exp2f(x) std::exp2f(x)
#define __builtin_amdgcn_logf(x) std::log2f(x)
#define __builtin_amdgcn_rcpf(x) (1.0f / (x))
// NOLINTEND(bugprone-reserved-identifier)
#pragma clang diagnostic ignored "-Wunknown-attributes"
#pragma clang diagnostic ignored "-Wignored-attributes"

#include "core/arch/hopper.h"

/// Runs kernels of this package on the host: see core/arch/hopper/on_host.h. Include this before
/// any other header of device code.

namespace gridwise {

/// Runs `kernel` in workgroups of `threads`, one after the other.
inline void RunGrid(int workgroups, int threads, const std::function<void()>& kernel) {
  host_grid_size = workgroups;
  for (int workgroup = 0; workgroup < workgroups; ++workgroup) {
    HostWorkgroup state;
    host_workgroup = &state;
    host_workgroup_id = workgroup;
    std::memset(dynamic_shared_memory, 0xff, sizeof(dynamic_shared_memory));  // NaN
    HostThreads::Run(threads, kernel);
  }
}

}  // namespace gridwise
