// SPDX-License-Identifier: MIT
// Kernels whose metadata and image code_object_test.cc looks at.

__attribute__((device, used)) int table[4] = {1, 2, 3, 4};
__attribute__((device, used)) int* pointer_into_table = &table[2];  // a relocation
__attribute__((device, used)) int zeroed[300];

extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 128))) void Scale(float* out,
                                                                                   int n,
                                                                                   double factor) {
  __attribute__((shared)) static float buffer[100];
  const int i = __builtin_amdgcn_workitem_id_x();
  buffer[i % 100] = out[i];
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
  __builtin_amdgcn_s_barrier();
  if (i < n)
    out[i] = buffer[(i + 1) % 100] * static_cast<float>(factor) + zeroed[i] + *pointer_into_table;
}

extern "C" __attribute__((global)) void Empty() {}
