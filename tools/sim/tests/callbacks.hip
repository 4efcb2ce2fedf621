// SPDX-License-Identifier: MIT
// A kernel that calls a function through a pointer, for callbacks_test.cc.

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256)))
#define DEVICE __attribute__((device))

using Function = unsigned (*)(unsigned);

// Each copy of the code has its own.
extern "C" DEVICE unsigned factor = 1;

// Goes on in a function of its own code object, and to data of it.
static DEVICE __attribute__((noinline)) unsigned Power(unsigned x, unsigned n) {
  return n == 0 ? factor : x * Power(x, n - 1);
}
static DEVICE __attribute__((noinline)) unsigned Cube(unsigned x) { return Power(x, 3); }

KERNEL void AddressOfCube(Function* out) { *out = &Cube; }

// out[i] = f(in[i]) for odd numbers, Cube(in[i]) for even ones.
KERNEL void MapOddOnes(Function f, const unsigned* in, unsigned* out) {
  const unsigned i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  out[i] = (in[i] & 1) != 0 ? f(in[i]) : Cube(in[i]);
}
