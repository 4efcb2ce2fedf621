// SPDX-License-Identifier: MIT
#include "tools/sim/time/machine/machine_file.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/arch/target.h"
#include "core/text/parse_device.h"
#include "llvm/Support/JSON.h"
#include "tools/sim/isa/target_names.h"
#include "tools/sim/time/machine/product_machine.h"
#include "tools/text/json.h"
#include "tools/text/read_file.h"

namespace gridwise::sim::time {
namespace {

/// `text`, kept for as long as the process lives: machines are few, and copied by value.
const char* Keep(llvm::StringRef text) {
  static std::mutex mutex;
  static auto* const kept = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return kept->insert(text.str()).first->c_str();
}

absl::Status ReadParameter(llvm::StringRef name, const llvm::json::Value& json, Machine& machine) {
  const auto fields = Fields();
  const auto field = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& f) { return f.name == std::string_view(name); });
  if (field == fields.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "machine file: no parameter is called '", name.str(),
        "'; there are: ", absl::StrJoin(fields, ", ", [](std::string* out, const Field& f) {
          absl::StrAppend(out, f.name);
        })));
  }
  const llvm::json::Object* object = json.getAsObject();
  const std::optional<double> value = object ? object->getNumber("value") : std::nullopt;
  const std::optional<llvm::StringRef> source = object ? object->getString("source") : std::nullopt;
  if (!value || !source || source->trim().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("machine file: parameter '", name.str(),
                     "' needs a number 'value' and a 'source' that says where it is from"));
  }
  const double low = object->getNumber("low").value_or(*value);
  const double high = object->getNumber("high").value_or(*value);
  if (*value < 0 || low > *value || high < *value) {
    return absl::InvalidArgumentError(absl::StrCat("machine file: parameter '", name.str(), "' is ",
                                                   *value, ", which is negative or outside of [",
                                                   low, ", ", high, "]"));
  }
  machine.*field->member = Parameter::Read(*value, low, high, Keep(*source));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Machine> ParseMachine(std::string_view json) {
  const absl::StatusOr<llvm::json::Value> parsed = ParseJson(json);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("machine file: ", parsed.status().message()));
  }
  const llvm::json::Object* root = parsed->getAsObject();
  const auto base = root ? root->getString("base") : std::nullopt;
  if (!base) {
    return absl::InvalidArgumentError(
        "machine file: needs a 'base', the name of a simulated device as gfx942 or MI300A");
  }
  const absl::StatusOr<DeviceFacts> device = ParseDevice(std::string_view(*base));
  if (!device.ok() || FindMachine(Name(device->gfx)) == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "machine file: 'base' is '", base->str(),
        "'; must be the name of a simulated device, one of ", SimulatedTargets(), " or a product"));
  }
  Machine machine = MachineFor(*device);
  if (const auto name = root->getString("name")) machine.name = Keep(*name);
  const llvm::json::Object* parameters = root->getObject("parameters");
  if (parameters == nullptr) {
    return absl::InvalidArgumentError("machine file: needs an object 'parameters'");
  }
  for (const auto& [name, value] : *parameters) {
    if (absl::Status status = ReadParameter(name, value, machine); !status.ok()) return status;
  }
  return machine;
}

absl::StatusOr<Machine> ReadMachine(std::string_view path) {
  const absl::StatusOr<std::string> text = ReadFile(std::string(path));
  if (!text.ok())
    return absl::Status(text.status().code(),
                        absl::StrCat("machine file: ", text.status().message()));
  absl::StatusOr<Machine> machine = ParseMachine(*text);
  if (machine.ok()) return machine;
  return absl::Status(machine.status().code(),
                      absl::StrCat(path, ": ", machine.status().message()));
}

}  // namespace gridwise::sim::time
