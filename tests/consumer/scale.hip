// SPDX-License-Identifier: MIT
/// A kernel of the consumer's own, compiled by Gridwise's rules: data[i] *= factor.
extern "C" __attribute__((global)) void Scale(float* data, float factor) {
  data[__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()] *= factor;
}
