// SPDX-License-Identifier: MIT
#pragma once

#include "hopper/depthwise/args.h"
#include "hopper/depthwise/config.h"
#include "hopper/kernel/roles.h"

/// The units of a workgroup, and pixels of the images.

namespace gridwise::hopper {

/// Rows and columns of dy, from the first on, in an image.
struct DepthwiseUnit {
  int image, h, w;

  GRIDWISE_DEVICE DepthwiseUnit(const DepthwiseWeightArgs& args, int unit) {
    const int by_w = Quotient(unit, args.by_of_image_w);
    image = Quotient(by_w, args.by_of_image_h);
    h = (by_w - image * args.of_image_h) * DepthwiseWeightConfig::kRows;
    w = (unit - by_w * args.of_image_w) * DepthwiseWeightConfig::kColumns;
  }
};

/// A workgroup's channels and units.
struct DepthwiseWork {
  int split, channel, first, end;

  GRIDWISE_DEVICE explicit DepthwiseWork(const DepthwiseWeightArgs& args)
      : split(Quotient(BlockIdX(), args.by_blocks)),
        channel((BlockIdX() - split * args.blocks) * DepthwiseWeightConfig::kChannels),
        first(split * args.units + Min(split, args.longer)),
        end(first + args.units + (split < args.longer ? 1 : 0)) {}
};

/// The pixels of an image at a channel.
struct DepthwiseImage {
  const DepthwiseTensor& tensor;
  const char* const data;

  GRIDWISE_DEVICE DepthwiseImage(const DepthwiseTensor& tensor, int image, int channel)
      : tensor(tensor),
        data(static_cast<const char*>(tensor.data) + image * tensor.image + channel * 2) {}

  GRIDWISE_DEVICE bool Has(int h, int w) const {
    return static_cast<unsigned>(h) < static_cast<unsigned>(tensor.height) &&
           static_cast<unsigned>(w) < static_cast<unsigned>(tensor.width);
  }
  /// The address of a pixel, if the image has it.
  GRIDWISE_DEVICE const char* At(int h, int w) const {
    return data + static_cast<unsigned>(h * tensor.line + w * tensor.pixel);
  }
};

}  // namespace gridwise::hopper
