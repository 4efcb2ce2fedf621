// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/conv/problem.h"

namespace gridwise {

/// A convolution of a network, for one image.
struct NetworkLayer {
  std::string name;  // "resnet50.stage2.conv2"
  ConvProblem problem;
};

/// The distinct convolutions of published networks at the input sizes of their papers: VGG-16
/// (Simonyan and Zisserman, 2015), ResNet-50 (He et al., 2016), ResNeXt-50 32x4d (Xie et al.,
/// 2017), Inception v3 (Szegedy et al., 2016), DeepLab v3 (Chen et al., 2017), U-Net (Ronneberger
/// et al., 2015; padded), Darknet-53 (Redmon and Farhadi, 2018), MobileNet v2 (Sandler et al.,
/// 2018), EfficientNet B0 (Tan and Le, 2019), ConvNeXt-T (Liu et al., 2022), Stable Diffusion's
/// U-Net (Rombach et al., 2022), R3D-18 (Tran et al., 2018) and wav2vec 2.0 (Baevski et al., 2020).
/// They have 1 to 3 dimensions.
const std::vector<NetworkLayer>& NetworkLayers();

}  // namespace gridwise
