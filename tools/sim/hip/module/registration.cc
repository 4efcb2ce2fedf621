// SPDX-License-Identifier: MIT
#include "tools/sim/hip/module/registration.h"

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "tools/sim/hip/device/program_code.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/hip/module/module.h"

namespace gridwise::sim {

struct FatBinary {
  struct ManagedVariable {
    std::string name;
    void* memory;
  };

  const void* bundle = nullptr;
  std::vector<ManagedVariable> managed;
  std::map<Device*, std::unique_ptr<ihipModule_t>> modules;
};

namespace {

// A kernel or variable: where it is, and what it is called there.
struct Registered {
  FatBinary* binary;
  std::string name;
  void* managed = nullptr;  // the memory of a managed variable
  size_t bytes = 0;         // size of that memory
};

struct Registry {
  std::recursive_mutex mutex;
  std::set<FatBinary*> binaries;
  std::map<const void*, Registered> kernels;    // by host function
  std::map<const void*, Registered> variables;  // by host variable
};

Registry& TheRegistry() {
  static auto* const registry = new Registry;
  return *registry;
}

// Tells the device where its managed variables are: a pointer stands in the variable's place.
hipError_t PlaceManaged(const FatBinary& binary, const ihipModule_t& module) {
  for (const FatBinary::ManagedVariable& variable : binary.managed) {
    const absl::StatusOr<Symbol> symbol = module.object->FindGlobal(variable.name);
    if (!symbol.ok()) continue;  // no kernel of this translation unit uses it
    if (symbol->bytes != sizeof(void*)) {
      return Report(hipErrorInvalidImage,
                    absl::StrFormat("managed variable %s has %u bytes in the code object; it must "
                                    "have a pointer's",
                                    variable.name, symbol->bytes));
    }
    std::memcpy(reinterpret_cast<void*>(symbol->address), &variable.memory, sizeof(void*));
  }
  return Report(hipSuccess);
}

hipError_t LoadOnce(FatBinary& binary, Device& device, ihipModule_t** module) {
  std::unique_ptr<ihipModule_t>& loaded = binary.modules[&device];
  if (loaded == nullptr) {
    const absl::StatusOr<std::span<const std::byte>> image = ImageExtent(binary.bundle);
    if (!image.ok()) return Report(hipErrorInvalidImage, image.status());
    if (hipError_t error = LoadModule(*image, device, &loaded); error != hipSuccess) return error;
    if (hipError_t error = PlaceManaged(binary, *loaded); error != hipSuccess) return error;
  }
  *module = loaded.get();
  return Report(hipSuccess);
}

}  // namespace

hipError_t LoadKernel(const void* host_function, Device& device, hipFunction_t* function) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  const auto found = registry.kernels.find(host_function);
  if (found == registry.kernels.end()) return Report(hipErrorInvalidDeviceFunction);
  ihipModule_t* module = nullptr;
  if (hipError_t error = LoadOnce(*found->second.binary, device, &module); error != hipSuccess)
    return error;
  return FindFunction(*module, found->second.name, function);
}

hipError_t FindVariable(const void* host_variable, Device& device, Symbol* variable) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  const auto found = registry.variables.find(host_variable);
  if (found == registry.variables.end()) return Report(hipErrorInvalidSymbol);
  const Registered& registered = found->second;
  if (registered.managed != nullptr) {
    *variable = {registered.name, reinterpret_cast<uint64_t>(registered.managed), registered.bytes};
    return Report(hipSuccess);
  }
  ihipModule_t* module = nullptr;
  if (hipError_t error = LoadOnce(*registered.binary, device, &module); error != hipSuccess)
    return error;
  const absl::StatusOr<Symbol> symbol = module->object->FindGlobal(registered.name);
  if (!symbol.ok()) return Report(hipErrorInvalidSymbol, symbol.status());
  *variable = *symbol;
  return Report(hipSuccess);
}

FatBinary* AddFatBinary(const void* bundle) {
  auto* const binary = new FatBinary;
  binary->bundle = bundle;
  AddProgramCode(bundle);
  std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().binaries.insert(binary);
  return binary;
}

void AddKernel(FatBinary& binary, const void* host_function, const char* name) {
  std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().kernels[host_function] = {.binary = &binary, .name = name};
}

void AddVariable(FatBinary& binary, const void* host_variable, const char* name) {
  std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().variables[host_variable] = {.binary = &binary, .name = name};
}

void AddManagedVariable(FatBinary& binary, void** pointer, const void* initial, const char* name,
                        size_t bytes) {
  Device* const device = DeviceAt(0);
  std::lock_guard lock(TheRegistry().mutex);
  if (device == nullptr ||
      Allocate(*device, bytes, {.kind = AllocationKind::kManaged}, pointer) != hipSuccess) {
    return;  // the program finds no device, or a null pointer
  }
  std::memcpy(*pointer, initial, bytes);
  binary.managed.push_back({name, *pointer});
  TheRegistry().variables[pointer] = {&binary, name, *pointer, bytes};
}

void RemoveFatBinary(FatBinary* binary) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  if (registry.binaries.erase(binary) == 0) return;
  std::erase_if(registry.kernels, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(registry.variables,
                [&](const auto& entry) { return entry.second.binary == binary; });
  RemoveProgramCode(binary->bundle);
  delete binary;
}

}  // namespace gridwise::sim
