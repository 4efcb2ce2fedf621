// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/memory.h"
#include "tile/bwd_weight_args.h"

namespace gridwise::tile {

/// Where a position (PixelPositions) is, which may lie before the first.
struct PixelOfPosition {
  int image, h, w;

  GRIDWISE_DEVICE PixelOfPosition(const PixelPositions& positions, int position) {
    // Positions of empty images before the first one are none below zero.
    const int lead = positions.lead * positions.rows;
    const int row = Divide(position + lead * positions.pitch, positions.by_pitch);
    const int lead_and_image = Divide(row, positions.by_rows);
    image = lead_and_image - positions.lead;
    h = row - lead_and_image * positions.rows;
    w = position - (row - lead) * positions.pitch;
  }
};

/// A position that moves on: all of it is the same in all lanes of a wave.
class PositionWalk {
 public:
  /// `position` may lie before the first.
  GRIDWISE_DEVICE PositionWalk(const PixelPositions& positions, int position)
      : pitch_(positions.pitch), none_(positions.rows - 1) {
    const PixelOfPosition pixel(positions, position);
    h_ = pixel.h;
    w_ = pixel.w;
  }

  GRIDWISE_DEVICE void Advance(int positions) {
    w_ += positions;
    while (w_ >= pitch_) {
      w_ -= pitch_;
      h_ = h_ == none_ ? 0 : h_ + 1;
    }
  }

  /// Bit i: the position i after this one is a pixel.
  GRIDWISE_DEVICE unsigned long Pixels() const {
    constexpr int kBits = 64;
    unsigned long pixels = 0;
    int w = w_, h = h_;
    for (int at = 0; at < kBits;) {
      const int left = pitch_ - 1 - w;  // of the row
      const unsigned long of_row = left < kBits ? ~(~0ul << left) : ~0ul;
      pixels |= h == none_ ? 0 : of_row << at;
      at += left + 1;
      w = 0;
      h = h == none_ ? 0 : h + 1;
    }
    return pixels;
  }

 private:
  int pitch_, none_;  // none_: an image's row without pixels
  int h_, w_;
};

/// A tensor's pixels at positions: bytes from pixel to pixel, and how far steps of `step` positions
/// move on: in whole images, rows and what is left, and in bytes, were there no more ends of rows
/// and images on the way.
struct PositionStride {
  int pitch, rows;
  int image, row, pixel;  // bytes
  int end;                // of all images
  int h, w, bytes;

  GRIDWISE_DEVICE PositionStride(const PixelPositions& positions, const PixelTensor& tensor,
                                 int step)
      : pitch(positions.pitch),
        rows(positions.rows),
        image(static_cast<int>(tensor.image)),
        row(tensor.out_pixel[1]),
        pixel(tensor.out_pixel[2]),
        end(positions.images * image) {
    const int all_instances = Divide(step, positions.by_pitch);
    const int images = Divide(all_instances, positions.by_rows);
    h = all_instances - images * rows;
    w = step - all_instances * pitch;
    bytes = images * image + h * row + w * pixel;
  }
};

/// A position of a lane's and its pixel's offset, which move on by strides without branches.
class LanePosition {
 public:
  /// Goes to `position`, which may lie before the first.
  GRIDWISE_DEVICE void Begin(const PixelPositions& positions, const PositionStride& by,
                             int position) {
    const PixelOfPosition pixel(positions, position);
    h_ = pixel.h;
    w_ = pixel.w;
    offset_ = pixel.image * by.image + h_ * by.row + w_ * by.pixel;
  }

  GRIDWISE_DEVICE void Advance(const PositionStride& by) {
    w_ += by.w;
    const bool next_row = w_ >= by.pitch;
    w_ -= next_row ? by.pitch : 0;
    h_ += by.h + next_row;
    const bool next_image = h_ >= by.rows;
    h_ -= next_image ? by.rows : 0;
    offset_ += by.bytes + (next_row ? by.row - by.pitch * by.pixel : 0) +
               (next_image ? by.image - by.rows * by.row : 0);
  }

  /// From the tensor's first byte; out of range where there is no pixel, of an image that has
  /// `pixels_h` x `pixels_w`.
  GRIDWISE_DEVICE unsigned Offset(const PositionStride& by, int pixels_h, int pixels_w) const {
    bool is_pixel = w_ < pixels_w;
    is_pixel &= h_ < pixels_h;
    is_pixel &= static_cast<unsigned>(offset_) < static_cast<unsigned>(by.end);
    return is_pixel ? static_cast<unsigned>(offset_) : Buffer::kOutOfRange;
  }

 private:
  int h_, w_, offset_;
};

}  // namespace gridwise::tile
