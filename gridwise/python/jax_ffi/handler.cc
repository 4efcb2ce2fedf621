// SPDX-License-Identifier: MIT
#include "gridwise/python/jax_ffi/handler.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace gridwise::jax_ffi {
namespace {

gridwise_jax_library library = {};

Error* NewError(const Api& api, int code, const char* message) {
  ErrorArguments arguments = {sizeof(arguments), nullptr, message, code};
  return api.new_error(&arguments);
}
Error* Failed(const Api& api, gridwise_status status) {
  return NewError(api, status, (std::string("gridwise: ") + library.message()).c_str());
}
Error* Invalid(const Api& api, const std::string& message) {
  return NewError(api, GRIDWISE_INVALID_ARGUMENT, ("gridwise: " + message).c_str());
}

/// Whether XLA asks what the handler is; then it is told.
bool IsQuestion(const Frame& frame) {
  for (Extension* extension = frame.extension; extension != nullptr; extension = extension->next) {
    if (extension->kind != kMetadata) continue;
    Metadata& metadata = *reinterpret_cast<MetadataExtension*>(extension)->metadata;
    metadata.version.major = kMajor;
    metadata.version.minor = kMinor;
    metadata.traits = kCommandBufferCompatible;
    return true;
  }
  return false;
}

/// The plan's line; empty where there is none.
std::string_view LineOf(const Attributes& attributes) {
  for (std::int64_t i = 0; i < attributes.count; ++i) {
    const Text& name = *attributes.names[i];
    if (std::string_view(name.data, name.size) != "plan" || attributes.kinds[i] != kText) continue;
    const Text& line = *static_cast<const Text*>(attributes.values[i]);
    return {line.data, line.size};
  }
  return {};
}

/// Executables of devices and lines.
class Executables {
 public:
  const gridwise_executable* Find(std::int32_t device, std::string_view line) {
    const std::shared_lock lock(mutex_);
    return FindLocked(device, line);
  }

  /// Loads a plan on the current device, which is XLA's of this number.
  gridwise_status Load(std::int32_t device, std::string_view line,
                       const gridwise_executable*& executable) {
    const std::unique_lock lock(mutex_);
    executable = FindLocked(device, line);
    if (executable != nullptr) return GRIDWISE_OK;
    const std::string text(line);
    gridwise_plan* plan = nullptr;
    gridwise_executable* loaded = nullptr;
    gridwise_status status = library.parse_plan(text.c_str(), &plan);
    if (status == GRIDWISE_OK) status = library.load(plan, &loaded);
    library.free_plan(plan);
    if (status == GRIDWISE_OK) executable = loaded_[device][text] = loaded;
    return status;
  }

 private:
  const gridwise_executable* FindLocked(std::int32_t device, std::string_view line) const {
    const auto of_device = loaded_.find(device);
    if (of_device == loaded_.end()) return nullptr;
    const auto found = of_device->second.find(line);
    return found == of_device->second.end() ? nullptr : found->second;
  }

  std::shared_mutex mutex_;
  std::map<std::int32_t, std::map<std::string, const gridwise_executable*, std::less<>>> loaded_;
};
Executables& TheExecutables() {
  static Executables* const executables = new Executables;  // calls may outlive static objects
  return *executables;
}

/// The executable of a call, which is loaded if it is not.
Error* Prepare(const Frame& frame, const gridwise_executable*& executable) {
  const Api& api = *frame.api;
  const std::int64_t results = frame.results.count;
  if (frame.arguments.count != 2 || results < 1 || results > 2)
    return Invalid(api, "a convolution has 2 arguments and 1 or 2 results, not " +
                            std::to_string(frame.arguments.count) + " and " +
                            std::to_string(results));
  const std::string_view line = LineOf(frame.attributes);
  if (line.empty()) return Invalid(api, "a convolution has the attribute plan, a text");
  DeviceArguments device = {sizeof(device), nullptr, frame.context, 0};
  if (Error* const error = api.device(&device)) return error;
  executable = TheExecutables().Find(device.device, line);
  if (executable != nullptr) return nullptr;
  const gridwise_status status = TheExecutables().Load(device.device, line, executable);
  return status == GRIDWISE_OK ? nullptr : Failed(api, status);
}

Error* Launch(const Frame& frame) {
  const gridwise_executable* executable = nullptr;
  if (Error* const error = Prepare(frame, executable)) return error;
  StreamArguments stream = {sizeof(stream), nullptr, frame.context, nullptr};
  if (Error* const error = frame.api->stream(&stream)) return error;
  const auto buffer = [](const Buffers& of, std::int64_t i) -> const Buffer& {
    return *static_cast<const Buffer*>(of.values[i]);
  };
  gridwise_tensors tensors = {};
  tensors.size = sizeof(tensors);
  tensors.a = buffer(frame.arguments, 0).data;
  tensors.b = buffer(frame.arguments, 1).data;
  tensors.out = buffer(frame.results, 0).data;
  void* workspace = nullptr;
  std::int64_t bytes = 0;
  if (frame.results.count == 2) {
    workspace = buffer(frame.results, 1).data;
    bytes = buffer(frame.results, 1).dims[0];
  }
  const gridwise_status status =
      library.launch(executable, &tensors, workspace, bytes, stream.stream);
  return status == GRIDWISE_OK ? nullptr : Failed(*frame.api, status);
}

/// What a handler does, unless XLA asks what it is. No exception reaches XLA, whose C++ library may
/// be another.
template <class Function>
Error* Handle(const Frame& frame, Function function) {
  if (IsQuestion(frame)) return nullptr;
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return NewError(*frame.api, GRIDWISE_RESOURCE_EXHAUSTED, "gridwise: the host has no memory");
  }
}

}  // namespace
}  // namespace gridwise::jax_ffi

using namespace gridwise::jax_ffi;

void gridwise_jax_open(const gridwise_jax_library* functions) { library = *functions; }

Error* gridwise_jax_initialize(Frame* frame) {
  return Handle(*frame, [&] {
    const gridwise_executable* executable = nullptr;
    return Prepare(*frame, executable);
  });
}

Error* gridwise_jax_execute(Frame* frame) {
  return Handle(*frame, [&] { return Launch(*frame); });
}
