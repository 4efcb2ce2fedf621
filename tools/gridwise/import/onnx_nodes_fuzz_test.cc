// SPDX-License-Identifier: MIT
/// What the reader of ONNX models says of a model: the problems that are read have the sizes of
/// valid ones, or are refused with a sentence.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/import/line.h"
#include "tools/gridwise/import/onnx_nodes.h"
#include "tools/text/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise;
  const absl::StatusOr<llvm::json::Value> model =
      ParseJson(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!model.ok()) return 0;
  ForEachNode(*model, [](const std::string&, const ImportedLine& read) {
    if (!read.ok()) {
      CHECK(!read.status().message().empty());
    } else {
      CHECK(read->has_value());
      CHECK((*read)->problems.size() + (*read)->skipped.size() > 0);
    }
  });
  return 0;
}
