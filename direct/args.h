// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/conv/gemm_map.h"
#include "core/launch/block_map.h"
#include "core/launch/sub_gemm_table.h"

namespace gridwise::direct {

/// Where the elements of x, dx, y or dy are. Strides are bytes, axes d, h, w; the channels of a
/// group are contiguous.
struct DirectTensor {
  const void* data;
  long image;    // from one image to the next
  int group;     // from one group to the next
  int pixel[3];  // from one pixel to the next along an axis
  int size[3];   // pixels
};

/// Where the elements of w or dw are.
struct DirectWeights {
  const void* data;
  int group, k, tap, c;  // from one to the next; k and c of a group
};

/// Kernel arguments of forward and backward-data; see core/conv/gemm_map.h. The table's sub-GEMMs
/// are counted in runs of DirectConfig::pixels along w and rows along h: m, by_count_w and
/// by_count_h count runs, and the runs of `lane_images` images are one.
struct DirectGatherArgs {
  DirectTensor source, out;  // x and y, or dy and dx
  DirectWeights w;
  const SubGemm* table;  // [sub_gemms] in device memory; null: inline_table
  int sub_gemms;
  BlockMap map;  // of runs and, next to each other, tiles of lanes
  int tiles, lane_tiles;
  MagicDiv by_lane_tiles;
  int images;
  int lane_images;  // consecutive images whose channels consecutive lanes have
  int runs;         // per wave, in sequence
  int block[3];  // taps along d and h, and groups of DirectConfig::taps along w, whose weights LDS
                 // holds at a time; a sub-GEMM may have fewer
  int splits;    // workgroups that share the taps of an output pixel; each has separate sums
  long split_bytes;          // from one split's sums to the next
  int out_type;              // DataType of the output, or of the f32 sums
  int out_element;           // bytes
  int source_channels;       // per group
  int out_channels;          // of all groups
  MagicDiv by_out_channels;  //
  int out_of_group;          // output channels per group
  MagicDiv by_out_of_group;  //
  int w_source, w_out;       // bytes of w from one source channel, and output channel, to the next
  int filter[3];
  AxisStrides strides[3];
  SubGemm inline_table[kInlineSubGemms];
  const void* bias;  // of the output's channels, with which sums begin; null: they begin with zeros
};

/// Kernel arguments of backward-weight: dw[g][k][t][c] = sum over images and output pixels of
/// dy[n][o][g][k] * x[n][o * s + t * d - p][g][c]. A lane's sums belong to a pair (k, c) of a
/// group, for one image in `lane_images`.
struct DirectWeightArgs {
  DirectTensor dy, x;
  DirectWeights dw;
  int pairs;                 // (k, c) of all groups
  MagicDiv by_pairs;         //
  int c, k;                  // channels per group
  MagicDiv by_c, by_k;       //
  int images, lane_images;   // lane_images: consecutive images whose pairs consecutive lanes have
  int filter[3];             //
  MagicDiv by_tap_groups_h;  // groups of as many taps as a lane has rows of sums
  int tap_groups_w;          // groups of DirectConfig::taps
  MagicDiv by_tap_groups_w;  //
  int stride[3], dilation[3], pad[3];
  // Waves walk over output pixels in steps, line after line. With several rows of sums, lines lie
  // along h, with `others` runs of pixels side by side; otherwise along w.
  int steps, lines;  // per line; of all images
  MagicDiv by_steps;
  int others;  // lines per plane
  MagicDiv by_others, by_out_d;
  int wave_steps;    // per wave
  int splits;        // workgroups that share the lines; each writes separate sums
  long split_bytes;  // from one split's sums to the next
  XcdRuns xcds;      // of workgroups that read the same pixels, in sequence
  int tap_groups, lane_tiles, workgroups;
  MagicDiv by_tap_groups, by_lane_tiles;
  int out_type;  // DataType of dw, or of the f32 sums
};

}  // namespace gridwise::direct
