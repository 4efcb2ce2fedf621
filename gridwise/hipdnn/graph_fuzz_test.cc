// SPDX-License-Identifier: MIT
/// Any bytes are a graph or engine configuration, or refused. What is lowered is a valid problem.

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "core/conv/validate.h"
#include "gridwise/hipdnn/conv_graph.h"
#include "gridwise/hipdnn/engine.h"
#include "gridwise/hipdnn/graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto config = gridwise::hipdnn::ParseEngineConfig(bytes);
  if (config.ok()) CHECK_GE(config->options.splits, 0);
  const absl::StatusOr<gridwise::hipdnn::Graph> graph = gridwise::hipdnn::ParseGraph(bytes);
  if (!graph.ok()) return 0;
  const absl::StatusOr<gridwise::hipdnn::ConvGraph> lowered = LowerGraph(*graph);
  if (lowered.ok()) CHECK_OK(gridwise::Validate(lowered->problem));
  return 0;
}
