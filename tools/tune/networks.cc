// SPDX-License-Identifier: MIT
#include "tools/tune/networks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gridwise {
namespace {

/// What most layers say of themselves; padding keeps the size where the stride is 1.
struct Square {
  std::int64_t c, k, in, filter = 1, stride = 1, groups = 1, dilation = 1;
};

class Layers {
 public:
  void Add(std::string_view name, const Square& s) {
    const Dim dim = MakeDim(s.in, s.filter, s.stride, s.dilation);
    Add(name, {.groups = s.groups, .c = s.c, .k = s.k, .dims = {Dim{}, dim, dim}});
  }
  void Add(std::string_view name, const ConvProblem& problem) {
    // Networks repeat layers; one of each is enough.
    for (const NetworkLayer& known : all) {
      if (known.problem == problem) return;
    }
    all.push_back({std::string(name), problem});
  }
  static Dim MakeDim(std::int64_t in, std::int64_t filter, std::int64_t stride = 1,
                     std::int64_t dilation = 1) {
    const std::int64_t pad = dilation * (filter - 1) / 2;
    return {.in = in,
            .filter = filter,
            .stride = stride,
            .dilation = dilation,
            .pad_begin = pad,
            .pad_end = pad};
  }

  std::vector<NetworkLayer> all;
};

void AddVgg(Layers& layers) {
  constexpr std::array<std::int64_t, 6> kWidths = {3, 64, 128, 256, 512, 512};
  std::int64_t size = 224;
  for (std::size_t block = 1; block < kWidths.size(); ++block, size /= 2) {
    const std::string name = absl::StrCat("vgg16.block", block);
    layers.Add(name + ".conv1",
               {.c = kWidths[block - 1], .k = kWidths[block], .in = size, .filter = 3});
    layers.Add(name + ".conv2",
               {.c = kWidths[block], .k = kWidths[block], .in = size, .filter = 3});
  }
}

/// ResNet-50 and, with groups, ResNeXt-50, whose inner width is twice as large.
void AddResNet(Layers& layers, std::string_view network, std::int64_t groups) {
  layers.Add(absl::StrCat(network, ".stem"),
             {.c = 3, .k = 64, .in = 224, .filter = 7, .stride = 2});
  std::int64_t in = 64, size = 56;
  for (int stage = 1; stage <= 4; ++stage) {
    const std::int64_t out = std::int64_t{256} << (stage - 1);
    const std::int64_t inner = groups == 1 ? out / 4 : out / 2, stride = stage == 1 ? 1 : 2;
    const std::string name = absl::StrCat(network, ".stage", stage);
    layers.Add(name + ".first", {.c = in, .k = inner, .in = size});
    layers.Add(
        name + ".down",
        {.c = inner, .k = inner, .in = size, .filter = 3, .stride = stride, .groups = groups});
    layers.Add(name + ".skip", {.c = in, .k = out, .in = size, .stride = stride});
    size /= stride;
    layers.Add(name + ".conv1", {.c = out, .k = inner, .in = size});
    layers.Add(name + ".conv2",
               {.c = inner, .k = inner, .in = size, .filter = 3, .groups = groups});
    layers.Add(name + ".conv3", {.c = inner, .k = out, .in = size});
    in = out;
  }
}

void AddInception(Layers& layers) {
  layers.Add("inceptionv3.stem1", {.c = 3, .k = 32, .in = 299, .filter = 3, .stride = 2});
  layers.Add("inceptionv3.stem3", {.c = 32, .k = 64, .in = 147, .filter = 3});
  for (const std::int64_t c : {192, 256, 288}) {
    layers.Add(absl::StrCat("inceptionv3.a", c, ".1x1"), {.c = c, .k = 64, .in = 35});
    layers.Add(absl::StrCat("inceptionv3.a", c, ".1x1b"), {.c = c, .k = 48, .in = 35});
  }
  layers.Add("inceptionv3.a.5x5", {.c = 48, .k = 64, .in = 35, .filter = 5});
  layers.Add("inceptionv3.a.3x3", {.c = 64, .k = 96, .in = 35, .filter = 3});
  for (const std::int64_t c : {128, 160, 192}) {
    const Dim one = Layers::MakeDim(17, 1), seven = Layers::MakeDim(17, 7);
    layers.Add(absl::StrCat("inceptionv3.c", c, ".1x7"),
               ConvProblem{.c = c, .k = c, .dims = {Dim{}, one, seven}});
    layers.Add(absl::StrCat("inceptionv3.c", c, ".7x1"),
               ConvProblem{.c = c, .k = 192, .dims = {Dim{}, seven, one}});
    layers.Add(absl::StrCat("inceptionv3.c", c, ".1x1"), {.c = 768, .k = c, .in = 17});
  }
  const Dim one = Layers::MakeDim(8, 1), three = Layers::MakeDim(8, 3);
  layers.Add("inceptionv3.e.1x3", ConvProblem{.c = 384, .k = 384, .dims = {Dim{}, one, three}});
  layers.Add("inceptionv3.e.3x1", ConvProblem{.c = 384, .k = 384, .dims = {Dim{}, three, one}});
  for (const std::int64_t k : {320, 384, 448}) {
    layers.Add(absl::StrCat("inceptionv3.e.1x1.", k), {.c = 2048, .k = k, .in = 8});
  }
}

void AddDeepLab(Layers& layers) {
  layers.Add("deeplabv3.stage4", {.c = 512, .k = 512, .in = 33, .filter = 3, .dilation = 2});
  for (const std::int64_t dilation : {6, 12, 18}) {
    layers.Add(absl::StrCat("deeplabv3.aspp", dilation),
               {.c = 2048, .k = 256, .in = 33, .filter = 3, .dilation = dilation});
  }
  layers.Add("deeplabv3.aspp1", {.c = 2048, .k = 256, .in = 33});
  layers.Add("deeplabv3.project", {.c = 1280, .k = 256, .in = 33});
  layers.Add("deeplabv3.phases", {.c = 256, .k = 21, .in = 33});
}

void AddUNet(Layers& layers) {
  std::int64_t size = 512, in = 1;
  for (std::int64_t width = 64; width <= 1024; width *= 2, size /= 2) {
    const std::string name = absl::StrCat("unet.", width);
    layers.Add(name + ".down1", {.c = in, .k = width, .in = size, .filter = 3});
    layers.Add(name + ".down2", {.c = width, .k = width, .in = size, .filter = 3});
    layers.Add(name + ".up1", {.c = 2 * width, .k = width, .in = size, .filter = 3});
    // The up-convolution's gradient is this; it is backward-data of it.
    const Dim up = {.in = size, .filter = 2, .stride = 2};
    layers.Add(name + ".up2x2", ConvProblem{.c = width, .k = 2 * width, .dims = {Dim{}, up, up}});
    in = width;
  }
}

void AddDarknet(Layers& layers) {
  std::int64_t size = 416;
  layers.Add("darknet53.stem", {.c = 3, .k = 32, .in = size, .filter = 3});
  for (std::int64_t c = 32; c <= 512; c *= 2) {
    layers.Add(absl::StrCat("darknet53.", c, ".down"),
               {.c = c, .k = 2 * c, .in = size, .filter = 3, .stride = 2});
    size /= 2;
    layers.Add(absl::StrCat("darknet53.", c, ".1x1"), {.c = 2 * c, .k = c, .in = size});
    layers.Add(absl::StrCat("darknet53.", c, ".3x3"),
               {.c = c, .k = 2 * c, .in = size, .filter = 3});
  }
  for (const std::int64_t c : {1024, 512, 256}) {
    layers.Add(absl::StrCat("yolov3.head", c), {.c = c, .k = 255, .in = 13 * 1024 / c});
  }
}

/// A block that widens, filters each channel, and narrows.
struct Inverted {
  std::int64_t expansion, width, stride, filter;
};

void AddInverted(Layers& layers, std::string_view network, std::span<const Inverted> blocks) {
  std::int64_t size = 112, in = blocks[0].width == 16 ? 32 : blocks[0].width;
  layers.Add(absl::StrCat(network, ".stem"),
             {.c = 3, .k = 32, .in = 224, .filter = 3, .stride = 2});
  int number = 0;
  for (const Inverted& block : blocks) {
    for (const std::int64_t stride : {block.stride, std::int64_t{1}}) {
      const std::int64_t wide = in * block.expansion;
      const std::string name = absl::StrCat(network, ".block", ++number);
      if (block.expansion > 1) layers.Add(name + ".expand", {.c = in, .k = wide, .in = size});
      layers.Add(name + ".depthwise", {.c = wide,
                                       .k = wide,
                                       .in = size,
                                       .filter = block.filter,
                                       .stride = stride,
                                       .groups = wide});
      size /= stride;
      layers.Add(name + ".project", {.c = wide, .k = block.width, .in = size});
      in = block.width;
    }
  }
  layers.Add(absl::StrCat(network, ".head"), {.c = in, .k = 1280, .in = 7});
}

void AddConvNext(Layers& layers) {
  std::int64_t size = 56, in = 3;
  for (std::int64_t width = 96; width <= 768; width *= 2) {
    const bool first = width == 96;
    const std::string name = absl::StrCat("convnext.", width);
    const std::int64_t step = first ? 4 : 2;
    const Dim down = {.in = size * step, .filter = step, .stride = step};
    layers.Add(name + ".down", ConvProblem{.c = in, .k = width, .dims = {Dim{}, down, down}});
    layers.Add(name + ".depthwise",
               {.c = width, .k = width, .in = size, .filter = 7, .groups = width});
    layers.Add(name + ".widen", {.c = width, .k = 4 * width, .in = size});
    layers.Add(name + ".narrow", {.c = 4 * width, .k = width, .in = size});
    in = width;
    size /= 2;
  }
}

void AddStableDiffusion(Layers& layers) {
  layers.Add("sd.in", {.c = 4, .k = 320, .in = 64, .filter = 3});
  layers.Add("sd.out", {.c = 320, .k = 4, .in = 64, .filter = 3});
  std::int64_t size = 64, in = 320;
  for (const std::int64_t width : {320, 640, 1280, 1280}) {
    const std::string name = absl::StrCat("sd.", size);
    layers.Add(name + ".first", {.c = in, .k = width, .in = size, .filter = 3});
    layers.Add(name + ".conv", {.c = width, .k = width, .in = size, .filter = 3});
    layers.Add(name + ".skip", {.c = in, .k = width, .in = size});
    layers.Add(name + ".joined", {.c = 2 * width, .k = width, .in = size, .filter = 3});
    layers.Add(name + ".down", {.c = width, .k = width, .in = size, .filter = 3, .stride = 2});
    in = width;
    size /= 2;
  }
}

void AddR3d(Layers& layers) {
  const auto dims = [](std::int64_t frames, std::int64_t size, std::int64_t filter,
                       std::int64_t stride) {
    const Dim time = Layers::MakeDim(frames, filter, stride);
    const Dim space = Layers::MakeDim(size, filter, stride);
    return std::array<Dim, 3>{time, space, space};
  };
  std::array<Dim, 3> stem = {Layers::MakeDim(16, 3), Layers::MakeDim(112, 7, 2),
                             Layers::MakeDim(112, 7, 2)};
  layers.Add("r3d18.stem", ConvProblem{.rank = 3, .c = 3, .k = 64, .dims = stem});
  std::int64_t frames = 16, size = 56;
  for (std::int64_t width = 64; width <= 512; width *= 2) {
    const std::string name = absl::StrCat("r3d18.", width);
    layers.Add(name + ".conv",
               ConvProblem{.rank = 3, .c = width, .k = width, .dims = dims(frames, size, 3, 1)});
    if (width == 512) break;
    layers.Add(
        name + ".down",
        ConvProblem{.rank = 3, .c = width, .k = 2 * width, .dims = dims(frames, size, 3, 2)});
    layers.Add(
        name + ".skip",
        ConvProblem{.rank = 3, .c = width, .k = 2 * width, .dims = dims(frames, size, 1, 2)});
    frames /= 2;
    size /= 2;
  }
}

void AddWav2Vec(Layers& layers) {
  Dim dim = {.in = 160000, .filter = 10, .stride = 5};  // 10 s at 16 kHz
  std::int64_t c = 1;
  int number = 0;
  for (const std::int64_t filter : {10, 3, 3, 3, 3, 2, 2}) {
    if (number > 0) dim = {.in = dim.out(), .filter = filter, .stride = 2};
    layers.Add(absl::StrCat("wav2vec2.conv", number++),
               ConvProblem{.rank = 1, .c = c, .k = 512, .dims = {Dim{}, Dim{}, dim}});
    c = 512;
  }
  const Dim position = {.in = dim.out(), .filter = 128, .pad_begin = 64, .pad_end = 64};
  layers.Add(
      "wav2vec2.position",
      ConvProblem{.rank = 1, .groups = 16, .c = 768, .k = 768, .dims = {Dim{}, Dim{}, position}});
}

}  // namespace

const std::vector<NetworkLayer>& NetworkLayers() {
  static const auto* const layers = [] {
    Layers made;
    AddVgg(made);
    AddResNet(made, "resnet50", 1);
    AddResNet(made, "resnext50", 32);
    AddInception(made);
    AddDeepLab(made);
    AddUNet(made);
    AddDarknet(made);
    constexpr Inverted kMobileNet[] = {{1, 16, 1, 3}, {6, 24, 2, 3},  {6, 32, 2, 3}, {6, 64, 2, 3},
                                       {6, 96, 1, 3}, {6, 160, 2, 3}, {6, 320, 1, 3}};
    AddInverted(made, "mobilenetv2", kMobileNet);
    constexpr Inverted kEfficientNet[] = {{1, 16, 1, 3}, {6, 24, 2, 3},  {6, 40, 2, 5},
                                          {6, 80, 2, 3}, {6, 112, 1, 5}, {6, 192, 2, 5},
                                          {6, 320, 1, 3}};
    AddInverted(made, "efficientnetb0", kEfficientNet);
    AddConvNext(made);
    AddStableDiffusion(made);
    AddR3d(made);
    AddWav2Vec(made);
    return new std::vector<NetworkLayer>(std::move(made.all));
  }();
  return *layers;
}

}  // namespace gridwise
