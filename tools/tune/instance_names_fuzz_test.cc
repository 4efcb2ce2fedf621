// SPDX-License-Identifier: MIT
/// Names of instances: what is read prints to the name, and whether there is such a kernel is a
/// sentence.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/log/check.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "tools/tune/config_space.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gridwise;
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  for (const ConfigSpace* const space : ConfigSpaces()) {
    for (const Direction direction :
         {Direction::kForward, Direction::kBackwardData, Direction::kBackwardWeight}) {
      const absl::StatusOr<ConfigSpace::Values> values = space->Parse(name, direction);
      if (!values.ok()) continue;
      CHECK(space->NameOf(*values, direction) == name) << space->NameOf(*values, direction);
      for (const Gfx gfx : {Gfx::k942, Gfx::k950, Gfx::k1100, Gfx::k1201, Gfx::kSm90a}) {
        const absl::Status status = space->Check(*values, direction, gfx);
        CHECK(status.ok() || !status.message().empty());
      }
    }
  }
  return 0;
}
