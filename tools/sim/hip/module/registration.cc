#include "tools/sim/hip/module/registration.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/hip/module/module.h"
#include "tools/sim/hip/stream/queue.h"
#include "tools/sim/isa/target.h"

// The device code in the program itself: what clang's startup code of every HIP translation unit
// registers before main.

namespace gridwise::sim {
namespace {

/// What clang puts into .hipFatBinSegment.
struct FatBinaryWrapper {
  uint32_t magic;
  uint32_t version;
  const void* bundle;
  const void* unused;
};
constexpr uint32_t kWrapperMagic = 0x48495046;  // "HIPF"

struct ManagedVariable {
  std::string name;
  void* memory;
};

struct FatBinary {
  const void* bundle = nullptr;
  std::vector<ManagedVariable> managed;
  std::map<Device*, std::unique_ptr<ihipModule_t>> modules;
};

// A kernel or variable: where it is, and what it is called there.
struct Registered {
  FatBinary* binary;
  std::string name;
  void* managed = nullptr;  // the memory of a managed variable
  size_t bytes = 0;         // of it
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

FatBinary* FromHandle(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

// Tells the device where its managed variables are: a pointer stands in the variable's place.
hipError_t PlaceManaged(const FatBinary& binary, const ihipModule_t& module) {
  for (const ManagedVariable& variable : binary.managed) {
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

hipError_t ModuleOf(FatBinary& binary, Device& device, ihipModule_t** module) {
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

hipError_t KernelOf(const void* host_function, Device& device, hipFunction_t* function) {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  const auto found = registry.kernels.find(host_function);
  if (found == registry.kernels.end()) return Report(hipErrorInvalidDeviceFunction);
  ihipModule_t* module = nullptr;
  if (hipError_t error = ModuleOf(*found->second.binary, device, &module); error != hipSuccess)
    return error;
  return FindFunction(*module, found->second.name, function);
}

hipError_t VariableOf(const void* host_variable, Device& device, Symbol* variable) {
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
  if (hipError_t error = ModuleOf(*registered.binary, device, &module); error != hipSuccess)
    return error;
  const absl::StatusOr<Symbol> symbol = module->object->FindGlobal(registered.name);
  if (!symbol.ok()) return Report(hipErrorInvalidSymbol, symbol.status());
  *variable = *symbol;
  return Report(hipSuccess);
}

std::optional<Gfx> OnlyTargetOfProgram() {
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  std::vector<Gfx> able(std::begin(kAmdGfx), std::end(kAmdGfx));
  for (const FatBinary* binary : registry.binaries) {
    if (binary->bundle == nullptr) continue;
    const absl::StatusOr<std::span<const std::byte>> image = ImageExtent(binary->bundle);
    if (!image.ok()) continue;  // who loads it says what is wrong
    const absl::StatusOr<std::vector<std::string>> targets = ImageTargets(*image);
    if (!targets.ok()) continue;
    std::erase_if(able, [&](Gfx gfx) {
      return std::none_of(targets->begin(), targets->end(), [&](const std::string& target) {
        return RunsCodeFor(Name(gfx), target);
      });
    });
  }
  return able.size() == 1 ? std::optional(able.front()) : std::nullopt;
}

}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

void** __hipRegisterFatBinary(const void* data) {
  const auto* wrapper = static_cast<const FatBinaryWrapper*>(data);
  auto* binary = new FatBinary;
  if (wrapper->magic == kWrapperMagic) {
    binary->bundle = wrapper->bundle;
  } else {
    static_cast<void>(Report(
        hipErrorInvalidImage,
        absl::StrFormat("the program registers a fat binary whose magic number is %#x; clang's is "
                        "%#x",
                        wrapper->magic, kWrapperMagic)));
  }
  std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().binaries.insert(binary);
  return reinterpret_cast<void**>(binary);
}

void __hipRegisterFunction(void** handle, const void* host_function, char*, const char* name,
                           unsigned int, void*, void*, void*, void*, int*) {
  std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().kernels[host_function] = {.binary = FromHandle(handle), .name = name};
}

void __hipRegisterVar(void** handle, void* host_variable, char*, char* name, int, size_t, int,
                      int) {
  std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().variables[host_variable] = {.binary = FromHandle(handle), .name = name};
}

void __hipRegisterManagedVar(void** handle, void** pointer, void* initial, const char* name,
                             size_t bytes, unsigned) {
  Device* const device = DeviceAt(0);  // which may look at what is registered
  std::lock_guard lock(TheRegistry().mutex);
  if (device == nullptr ||
      Allocate(*device, bytes, {.kind = AllocationKind::kManaged}, pointer) != hipSuccess) {
    return;  // the program finds no device, or a null pointer
  }
  std::memcpy(*pointer, initial, bytes);
  FromHandle(handle)->managed.push_back({name, *pointer});
  TheRegistry().variables[pointer] = {FromHandle(handle), name, *pointer, bytes};
}

// Textures and surfaces can be declared, and a kernel that uses one faults at its instructions.
void __hipRegisterTexture(void**, void*, char*, char*, int, int, int) {}
void __hipRegisterSurface(void**, void*, char*, char*, int, int) {}

void __hipUnregisterFatBinary(void** handle) {
  static_cast<void>(RunDeferred());
  Registry& registry = TheRegistry();
  std::lock_guard lock(registry.mutex);
  FatBinary* binary = FromHandle(handle);
  if (registry.binaries.erase(binary) == 0) return;
  std::erase_if(registry.kernels, [&](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(registry.variables,
                [&](const auto& entry) { return entry.second.binary == binary; });
  delete binary;
}

}  // extern "C"
