// SPDX-License-Identifier: MIT
// Kernels whose work-items work together: LDS, barriers, cross-lane operations, matrix
// instructions, atomics. The expectations are written out in group_kernels_test.cc. All take (in,
// out, n); blocks have 256 work-items and each block works on its own 256 words unless said
// otherwise.

#include "tools/sim/tests/group_algorithms.h"
#include "tools/sim/tests/group_atomics.h"
#include "tools/sim/tests/group_attention.h"
#include "tools/sim/tests/group_direct_to_lds.h"
#include "tools/sim/tests/group_lanes.h"
#include "tools/sim/tests/group_memory.h"
