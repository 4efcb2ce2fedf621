// SPDX-License-Identifier: MIT
/// Damaged code objects: a valid one with bytes that the input changes, and cut where it says.
/// Loading it is refused, or kernels can be looked for in what was loaded.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "tools/build/code_object.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/elf/code_object_test_objects.h"
#include "tools/sim/memory/memory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise::sim;
  FuzzedDataProvider input(data, size);
  const auto& objects = CodeObjectTestObjects();
  const auto& valid = objects[input.ConsumeIntegralInRange<std::size_t>(0, objects.size() - 1)];
  const auto* const bytes = reinterpret_cast<const std::byte*>(valid.data.data());
  std::vector<std::byte> image(bytes, bytes + valid.data.size());
  while (input.remaining_bytes() > 8) {
    const auto at = input.ConsumeIntegralInRange<std::size_t>(0, image.size() - 1);
    image[at] = static_cast<std::byte>(input.ConsumeIntegral<std::uint8_t>());
  }
  if (input.ConsumeBool()) {
    image.resize(input.ConsumeIntegralInRange<std::size_t>(0, image.size()));
  }
  (void)ImageTargets(image);
  Memory memory;
  const absl::StatusOr<std::unique_ptr<CodeObject>> object = CodeObject::Load(image, memory);
  if (!object.ok()) return 0;
  for (const KernelInfo& kernel : (*object)->kernels()) {
    CHECK_OK((*object)->FindKernel(kernel.name).status());
    (void)(*object)->FindFunction(kernel.entry_address);
  }
  (void)(*object)->FindGlobal("no such variable");
  return 0;
}
