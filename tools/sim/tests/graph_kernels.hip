// SPDX-License-Identifier: MIT
// A kernel whose executions can be told apart, for graph_test.cc.

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 1024)))

// log[0] counts the values after it.
KERNEL void Append(unsigned* log, unsigned value) { log[++log[0]] = value; }
