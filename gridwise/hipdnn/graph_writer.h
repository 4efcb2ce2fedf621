// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flatbuffers/flatbuffers.h"

/// Writes the FlatBuffers that hipDNN passes to plugins. Offsets of fields are those of the headers
/// that its schemas are compiled to (VT_... of ROCm/rocm-libraries,
/// projects/hipdnn/flatbuffers_sdk, 2026), not those of the code under test.

namespace gridwise::hipdnn {

struct WrittenTensor {
  std::int64_t uid = 0;
  int type = 2;  // HALF
  std::vector<std::int64_t> dims = {}, strides = {};
  bool is_virtual = false;
  std::int64_t alignment = 16;
  bool by_value = false;
  std::optional<std::int64_t> ragged = {};
};

struct WrittenConvolution {
  int kind = 5;  // forward; 6: data; 7: weight
  std::int64_t a = 0, b = 0, out = 0;
  std::vector<std::int64_t> pre_padding = {}, post_padding = {}, stride = {}, dilation = {};
  int mode = 2;  // CROSS_CORRELATION
  int compute_type = 1;
};

struct WrittenPointwise {
  int mode = 0;
  std::int64_t in_0 = 0;
  std::optional<std::int64_t> in_1 = {};
  std::int64_t out = 0;
  std::optional<float> relu_lower_clip = {}, relu_upper_clip = {}, relu_lower_clip_slope = {};
  std::optional<float> swish_beta = {};
  std::optional<std::int64_t> in_2 = {};
  int compute_type = 1;
};

struct WrittenGraph {
  std::vector<WrittenTensor> tensors = {};
  std::vector<WrittenConvolution> convolutions = {};
  std::vector<WrittenPointwise> pointwise = {};
  bool overrides_shapes = false;
  bool has_matmul = false;     // a node of another kind
  bool has_new_field = false;  // that no schema has yet
  int min_api_minor = 0;
};

/// The bytes of a Graph.
std::vector<std::byte> Write(const WrittenGraph& graph);

/// The bytes of an EngineConfig with knobs of whole numbers and of text.
std::vector<std::byte> WriteConfig(
    std::int64_t engine, const std::vector<std::pair<std::string, std::int64_t>>& numbers = {},
    const std::vector<std::pair<std::string, std::string>>& texts = {});

}  // namespace gridwise::hipdnn
