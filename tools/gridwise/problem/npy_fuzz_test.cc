// SPDX-License-Identifier: MIT
/// .npy files: what is read has the bytes of its shape, and what is written reads as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "core/base/types.h"
#include "tools/gridwise/problem/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise;
  const absl::StatusOr<NpyArray> array =
      ParseNpy("x.npy", std::string_view(reinterpret_cast<const char*>(data), size));
  if (!array.ok()) return 0;
  CHECK(static_cast<std::int64_t>(array->data.size()) == array->elements() * SizeOf(array->type));
  std::string bytes = NpyHeader(*array);
  bytes.append(reinterpret_cast<const char*>(array->data.data()), array->data.size());
  const absl::StatusOr<NpyArray> again = ParseNpy("x.npy", bytes);
  CHECK_OK(again.status());
  CHECK(again->type == array->type && again->shape == array->shape && again->data == array->data);
  return 0;
}
