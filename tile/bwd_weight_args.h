// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/math.h"
#include "core/launch/block_map.h"
#include "core/launch/epilogue_args.h"
#include "tile/fixup_args.h"

namespace gridwise::tile {

/// A tensor whose pixels are the K of a backward-weight GEMM: dy, or x as the filter taps see it.
/// Through tap t, output pixel o meets pixel first + o * stride + t * tap_stride of the tensor
/// along each axis; pixels outside of it read as zero. For dy that is pixel o itself. Strides are
/// bytes; axes are d, h, w.
struct PixelTensor {
  const void* data;
  long image, group;  // from one image to the next, from one group to the next
  int channels;       // of a group
  int pixel[3];       // from one pixel to the next along an axis
  int size[3];        // pixels
  int first[3], stride[3], tap_stride[3];
  int out_pixel[3];  // stride * pixel: bytes from one output pixel to the next
  MagicDiv by_stride[3];
};

/// The order of the main loop's steps: along one axis first, and of the others the last one first.
/// Axes are images, d, h and w.
struct StepOrder {
  enum Axis { kImage, kD, kH, kW };
  int run_axis;   // the first axis
  int run_steps;  // along it
  // In the steps from inside_begin to before inside_end, every tap meets a pixel of x along the
  // axis, and no output pixel is past the last one along it.
  int inside_begin, inside_end;
  int others[4];  // steps along each axis; 1 for the first axis
  MagicDiv by_run_steps, by_others[4];
};

/// The pixels of all images as consecutive positions, the same for dy and each plane of x, for a
/// filter of 3x3 that meets adjacent pixels. After each row of pixels there is one position that is
/// no pixel, which is the padding of both ends; after the rows of an image there is a row of such
/// positions.
struct PixelPositions {
  int pitch;  // positions per row
  int rows;   // per image
  int images;
  int lead;    // images by which steps may begin before the first
  int groups;  // per pixel
  MagicDiv by_pitch, by_rows;
};

/// The images of a step of the main loop, each with the same rows.
struct StepImages {
  int log2_images, log2_rows;
};

/// Which workgroups run next to each other: the tiles of a split, which read the same pixels, or
/// the splits of a tile, if they join their sums.
struct SplitOrder {
  int is_by_tile;
  MagicDiv by_splits;
};

/// Kernel arguments of backward-weight: dw[g][k][tap][c] = sum over images and output pixels of
/// dy[n][o][g][k] * x[n][o * s + t * d - p][g][c].
struct BwdWeightArgs {
  PixelTensor dy, x;
  int terms;               // taps * c / groups: elements of dw of one output channel
  int filter_h, filter_w;  // taps
  MagicDiv by_channels, by_filter_w, by_filter_h;
  int m_tiles, n_tiles;  // tiles along the output channels and the terms
  BlockMap map;
  int out[3];  // output pixels
  // A step of the main loop takes step_rows rows of output pixels (along h), and from each of them
  // step_runs runs of patch.k pixels along w: tile.k pixels in total, of one image or of several
  // (images). Sizes are powers of two.
  int step_rows, log2_step_runs;
  StepOrder order;
  int steps;                 // in total
  int split_steps;           // per workgroup, of those that share a tile's K
  EpilogueArgs epilogue;     // dw
  PixelPositions positions;  // with a halo, whose steps count positions
  FixupArgs fixup;           // for instances that join splits
  StepImages images;         // for instances whose steps may have several images
  SplitOrder split_order;    // the same
};

}  // namespace gridwise::tile
