// SPDX-License-Identifier: MIT
#pragma once

/// Arguments of NaiveConv, for host and device: y[n][o][g][k] of x[n][i][g][c] and w[g][k][t][c],
/// of f16 elements at any strides.
struct NaiveConvArgs {
  const void *x, *w;
  void* y;
  long outputs;  // elements of y
  // Elements from one index to the next: x and y of n, d, h, w, g, channel; w of g, k, z, y, x, c.
  long x_stride[6], w_stride[6], y_stride[6];
  int in[3], out[3], filter[3], stride[3], dilation[3], pad[3];  // d, h, w
  int groups, channels, out_channels;                            // channels of a group
};

inline constexpr int kNaiveThreads = 256;  // of a workgroup; each computes one element
