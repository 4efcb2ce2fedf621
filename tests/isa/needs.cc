// SPDX-License-Identifier: MIT
#include "tests/isa/needs.h"

#include <cstddef>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/conv/problem.h"
#include "core/launch/kernel_needs.h"
#include "instances/ck/family.h"

namespace gridwise {
namespace {

/// Adds a line for each kernel of `family`.
absl::Status AddLines(const KernelFamily& family, Gfx gfx, std::set<std::string>& lines) {
  for (const Direction direction : kAllDirections) {
    for (const InstanceInfo& instance : family.Instances(direction, gfx)) {
      if (instance.code.object.empty()) {
        return absl::FailedPreconditionError(absl::StrCat("no kernels of ", Name(gfx)));
      }
      // Names may begin with an op's; configs begin with the type and a tile.
      const std::size_t config_at = instance.name.find(absl::StrCat(Name(instance.type), "_t"));
      if (config_at == std::string::npos) {
        return absl::InternalError(absl::StrCat(instance.name, " has no config"));
      }
      const std::string config = instance.name.substr(config_at);
      const KernelNeeds needs = ReadKernelNeeds(instance.code.object, instance.code.symbol);
      lines.insert(
          absl::StrFormat("{\"%s\", {%d, %d}},\n", config, needs.registers, needs.lds_bytes));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> NeedsText(const KernelFamily& family, Gfx gfx) {
  std::set<std::string> lines;
  absl::Status status = AddLines(family, gfx, lines);
  if (status.ok() && family.name() == "ck") status = AddLines(ck::Gemms(), gfx, lines);
  if (!status.ok()) return status;
  std::string text =
      "// InstanceNeeds of the instances: registers, bytes of LDS. Written by "
      "//tests/isa:update.\n";
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace gridwise
