// SPDX-License-Identifier: MIT
/// Forward convolution by its definition, one element of y a work-item.

#include "naive_conv.h"

extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, kNaiveThreads))) void NaiveConv(
    NaiveConvArgs p) {
  long rest =
      long{__builtin_amdgcn_workgroup_id_x()} * kNaiveThreads + __builtin_amdgcn_workitem_id_x();
  if (rest >= p.outputs) return;
  const auto take = [&](int size) {
    const long index = rest % size;
    rest /= size;
    return index;
  };
  const long k = take(p.out_channels), g = take(p.groups);
  const long ow = take(p.out[2]), oh = take(p.out[1]), od = take(p.out[0]), n = rest;
  float sum = 0;
  for (int z = 0; z < p.filter[0]; ++z) {
    const long d = od * p.stride[0] + z * p.dilation[0] - p.pad[0];
    if (d < 0 || d >= p.in[0]) continue;
    for (int y = 0; y < p.filter[1]; ++y) {
      const long h = oh * p.stride[1] + y * p.dilation[1] - p.pad[1];
      if (h < 0 || h >= p.in[1]) continue;
      for (int x = 0; x < p.filter[2]; ++x) {
        const long w = ow * p.stride[2] + x * p.dilation[2] - p.pad[2];
        if (w < 0 || w >= p.in[2]) continue;
        const _Float16* from = (const _Float16*)p.x + n * p.x_stride[0] + d * p.x_stride[1] +
                               h * p.x_stride[2] + w * p.x_stride[3] + g * p.x_stride[4];
        const _Float16* by = (const _Float16*)p.w + g * p.w_stride[0] + k * p.w_stride[1] +
                             z * p.w_stride[2] + y * p.w_stride[3] + x * p.w_stride[4];
        for (int c = 0; c < p.channels; ++c) {
          sum += (float)from[c * p.x_stride[5]] * (float)by[c * p.w_stride[5]];
        }
      }
    }
  }
  ((_Float16*)p.y)[n * p.y_stride[0] + od * p.y_stride[1] + oh * p.y_stride[2] +
                   ow * p.y_stride[3] + g * p.y_stride[4] + k * p.y_stride[5]] = (_Float16)sum;
}
