// SPDX-License-Identifier: MIT
/// Any bytes as machine code: what cannot be decoded or bound becomes an instruction that faults
/// when it is executed.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/machine/program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise::sim;
  FuzzedDataProvider input(data, size);
  const char* const gfx = input.PickValueInArray(kSimTargets).gfx;
  const CodeView view = {.wave32 = gfx[3] == '1' && input.ConsumeBool(),
                         .careful = input.ConsumeBool(),
                         .steps = input.ConsumeBool(),
                         .skips_vector = input.ConsumeBool()};
  std::vector<std::uint8_t> code = input.ConsumeRemainingBytes<std::uint8_t>();
  code.resize(std::max<std::size_t>(code.size() / 4 * 4, 4));
  const auto address = reinterpret_cast<std::uint64_t>(code.data());
  const absl::StatusOr<std::unique_ptr<Program>> program =
      Program::FromText(gfx, address, code.size());
  CHECK_OK(program.status());
  const auto first = (*program)->Enter(address, view);
  if (!first.ok()) return 0;
  for (std::uint32_t i = 0; i < (*program)->instructions(); ++i) {
    // The last one is that which faults behind the end.
    CHECK((*program)->Describe(i).pc - address <= code.size());
    (void)(*program)->Facts(i);
  }
  return 0;
}
