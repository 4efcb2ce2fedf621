// SPDX-License-Identifier: MIT
/// Machines of the clock as JSON.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/statusor.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/machine/machine_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise::sim::time;
  const absl::StatusOr<Machine> machine =
      ParseMachine(std::string_view(reinterpret_cast<const char*>(data), size));
  CHECK(machine.ok() || !machine.status().message().empty());
  return 0;
}
