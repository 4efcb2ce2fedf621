#include "core/arch/gpu.h"

/// data[i] += addend for every work-item i of a 64-wide launch.
extern "C" GRIDWISE_KERNEL void AddTo(int* data, int addend) {
  data[__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()] += addend;
}
