// SPDX-License-Identifier: MIT
#include "tools/sim/hip/device/runtime.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/text/parse_device.h"
#include "tools/sim/hip/device/program_code.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/time/session/session.h"

namespace gridwise::sim {
namespace {

thread_local int current_device = 0;
thread_local hipError_t last_error = hipSuccess;
thread_local hipError_t last_call_error = hipSuccess;

std::mutex sentences_mutex;
// Callers hold pointers into it, so nothing is ever removed; there is one entry per failure.
std::deque<std::string>& Sentences() {
  static auto* const sentences = new std::deque<std::string>;
  return *sentences;
}

constexpr char kDevicesVariable[] = "GRIDWISE_SIM_DEVICES";

/// Devices that were added before the first call of HIP.
struct AddedDevices {
  std::mutex mutex;
  bool too_late = false;
  std::vector<DeviceFacts> devices;
};
AddedDevices& Added() {
  static auto* const added = new AddedDevices;
  return *added;
}

/// The facts of the device called `name`, if it is simulated.
absl::StatusOr<DeviceFacts> SimulatedDevice(std::string_view name) {
  absl::StatusOr<DeviceFacts> facts = ParseDevice(name);
  if (facts.ok() && FindTarget(facts->product->processor) == nullptr) {
    return absl::UnimplementedError(absl::StrCat(name, " is not simulated"));
  }
  return facts;
}

std::vector<DeviceFacts> WantedDevices() {
  std::vector<DeviceFacts> wanted;
  const char* names = std::getenv(kDevicesVariable);
  if (names == nullptr) {
    if (const std::optional<std::string> only = OnlyTargetOfProgram()) {
      wanted.push_back(*SimulatedDevice(*only));
    } else {
      wanted.assign(std::begin(kDefaultGfx), std::end(kDefaultGfx));
    }
    return wanted;
  }
  for (std::string_view name : absl::StrSplit(names, ',', absl::SkipWhitespace())) {
    name = absl::StripAsciiWhitespace(name);
    const absl::StatusOr<DeviceFacts> facts = SimulatedDevice(name);
    if (facts.ok()) {
      wanted.push_back(*facts);
    } else {
      std::fprintf(
          stderr,
          "gridwise sim: GRIDWISE_SIM_DEVICES names '%s', which is not a target or product "
          "that is simulated: %s\n",
          std::string(name).c_str(), std::string(facts.status().message()).c_str());
    }
  }
  return wanted;
}

std::vector<std::unique_ptr<Device>> MakeDevices() {
  std::vector<DeviceFacts> wanted = WantedDevices();
  AddedDevices& added = Added();
  const std::lock_guard lock(added.mutex);
  added.too_late = true;
  for (const DeviceFacts& facts : added.devices) {
    if (std::find(wanted.begin(), wanted.end(), facts) == wanted.end()) wanted.push_back(facts);
  }
  std::vector<std::unique_ptr<Device>> devices;
  for (const DeviceFacts& facts : wanted) devices.push_back(std::make_unique<Device>(facts));
  return devices;
}

// The memory of a simulated product: GRIDWISE_SIM_MEMORY, or what the host has. Time mode touches
// only a small part of what programs allocate.
uint64_t CapacityOf(uint64_t product_bytes) {
  constexpr double kGib = uint64_t{1} << 30;
  double gib = 0;
  if (const char* wanted = std::getenv("GRIDWISE_SIM_MEMORY"); wanted != nullptr) {
    if (absl::SimpleAtod(wanted, &gib) && gib > 0) return static_cast<uint64_t>(gib * kGib);
    std::fprintf(stderr,
                 "gridwise sim: GRIDWISE_SIM_MEMORY is '%s'; must be a number of GiB above 0\n",
                 wanted);
  }
  if (time::On()) return product_bytes;
  const auto pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
  return std::min(product_bytes, pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
}

constexpr uint64_t kMissingBytes = 1 << 20;
constexpr std::string_view kNoPrintfBuffer =
    "the printf buffer of code compiled with -mprintf-kind=buffered, which is not supported; "
    "without that option printf works";

// Whether errors stay until hipGetLastError reads them, which depends on the program's HIP version.
// The name by which the program found the library tells the version.
bool ErrorsStay() {
  static const bool stay = [] {
    const auto loaded_as = [](const char* name) {
      return dlopen(name, RTLD_NOLOAD | RTLD_LAZY) != nullptr;
    };
    return !loaded_as("libamdhip64.so.5") && !loaded_as("libamdhip64.so.6");
  }();
  return stay;
}

}  // namespace

Device::Device(const DeviceFacts& facts)
    : facts(facts),
      properties(PropertiesOf(facts)),
      memory(CapacityOf(properties.totalGlobalMem)),
      printf_buffer(memory.Forbid(kMissingBytes, kNoPrintfBuffer).value_or(0)) {}

const std::vector<std::unique_ptr<Device>>& Devices() {
  // Never destroyed: device memory may be freed by static destructors of the program.
  static const auto* const devices = new std::vector<std::unique_ptr<Device>>(MakeDevices());
  return *devices;
}

bool AddDevice(std::string_view name) {
  const absl::StatusOr<DeviceFacts> facts = SimulatedDevice(name);
  AddedDevices& added = Added();
  const std::lock_guard lock(added.mutex);
  if (!facts.ok() || added.too_late || std::getenv(kDevicesVariable) != nullptr) return false;
  added.devices.push_back(*facts);
  return true;
}

void SetCapacities() {
  for (const auto& device : Devices())
    device->memory.set_capacity(CapacityOf(device->properties.totalGlobalMem));
}

Device* CurrentDevice() {
  const auto& devices = Devices();
  return static_cast<size_t>(current_device) < devices.size() ? devices[current_device].get()
                                                              : nullptr;
}

int CurrentDeviceIndex() { return current_device; }

hipError_t SetCurrentDevice(int index) {
  if (index < 0 || static_cast<size_t>(index) >= Devices().size()) {
    return Devices().empty() ? hipErrorNoDevice : hipErrorInvalidDevice;
  }
  current_device = index;
  return hipSuccess;
}

Device* DeviceOf(const void* pointer) {
  for (const auto& device : Devices()) {
    if (device->memory.Find(reinterpret_cast<uint64_t>(pointer))) return device.get();
  }
  return nullptr;
}

hipError_t Report(hipError_t error) {
  last_call_error = error;
  const bool failed = error != hipSuccess && error != hipErrorNotReady;
  if (failed || !ErrorsStay()) last_error = error;
  return error;
}

hipError_t Report(hipError_t error, std::string_view sentence) {
  // Libraries look for a kernel in one module after another: only the module that lacks it knows.
  if (error != hipErrorNotFound)
    std::fprintf(stderr, "gridwise sim: %.*s\n", static_cast<int>(sentence.size()),
                 sentence.data());
  {
    std::lock_guard lock(sentences_mutex);
    Sentences().emplace_back(sentence);
  }
  return Report(error);
}

hipError_t Report(hipError_t error, const absl::Status& status) {
  return Report(error, std::string_view(status.message()));
}

const char* LastSentence() {
  std::lock_guard lock(sentences_mutex);
  return Sentences().empty() ? "" : Sentences().back().c_str();
}

hipError_t LastError() { return last_error; }

void ClearLastError() { last_error = last_call_error = hipSuccess; }

hipError_t LastCallError() { return last_call_error; }

Device* NeedDevice() {
  Device* device = CurrentDevice();
  if (device == nullptr) static_cast<void>(Report(hipErrorNoDevice));
  return device;
}

Device* DeviceAt(int index) {
  const auto& devices = Devices();
  return index >= 0 && static_cast<size_t>(index) < devices.size() ? devices[index].get() : nullptr;
}

int IndexOf(const Device& device) {
  int index = 0;
  while (DeviceAt(index) != &device) ++index;
  return index;
}

}  // namespace gridwise::sim
