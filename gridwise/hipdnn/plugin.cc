// SPDX-License-Identifier: MIT
/// The functions of plugin_api.h.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "gridwise/hipdnn/conv_graph.h"
#include "gridwise/hipdnn/engine.h"
#include "gridwise/hipdnn/graph.h"
#include "gridwise/hipdnn/graph_plan.h"
#include "gridwise/hipdnn/plugin_api.h"
#include "gridwise/version.h"

using gridwise::hipdnn::ConvGraph;
using gridwise::hipdnn::EngineConfig;
using gridwise::hipdnn::GraphPlan;
using gridwise::hipdnn::LoadedGraph;

struct HipdnnEnginePluginHandle {
  hipStream_t stream = nullptr;
};

struct HipdnnEnginePluginExecutionContext {
  LoadedGraph graph;
};

namespace {

std::atomic<hipdnnCallback_t> log_callback = nullptr;
std::atomic<hipdnnSeverity_t> log_level = HIPDNN_SEV_INFO;

void Log(hipdnnSeverity_t severity, const std::string& message) {
  const hipdnnCallback_t callback = log_callback;
  if (callback != nullptr && severity >= log_level) callback(severity, message.c_str());
}

/// hipDNN's own buffer of an error has so many bytes.
constexpr std::size_t kMaxErrorBytes = 2048;

std::string& LastError() {
  static thread_local std::string error;
  return error;
}

void SetLastError(const absl::Status& status) {
  LastError() = std::string(status.message().substr(0, kMaxErrorBytes - 1));
}

hipdnnPluginStatus_t ToPluginStatus(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return HIPDNN_PLUGIN_STATUS_SUCCESS;
    case absl::StatusCode::kInvalidArgument:
      return HIPDNN_PLUGIN_STATUS_INVALID_VALUE;
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
      return HIPDNN_PLUGIN_STATUS_NOT_APPLICABLE;
    default:
      return HIPDNN_PLUGIN_STATUS_INTERNAL_ERROR;
  }
}

/// Returns what `call`, which returns a Status, did, and keeps its sentence. Nothing is thrown into
/// hipDNN.
template <class Call>
hipdnnPluginStatus_t Guarded(const Call& call) {
  try {
    const absl::Status status = call();
    if (!status.ok()) SetLastError(status);
    return ToPluginStatus(status);
  } catch (const std::bad_alloc&) {
    LastError() = "out of memory";  // so short that it needs no allocation
    return HIPDNN_PLUGIN_STATUS_ALLOC_FAILED;
  } catch (const std::exception&) {
    LastError() = "internal error";
    return HIPDNN_PLUGIN_STATUS_INTERNAL_ERROR;
  }
}

/// A parameter by its name.
struct Parameter {
  const char* name;
  const void* value;
};

/// The same, if no parameter is null.
template <class Call>
hipdnnPluginStatus_t Guarded(std::initializer_list<Parameter> parameters, const Call& call) {
  for (const Parameter& parameter : parameters) {
    if (parameter.value != nullptr) continue;
    Guarded([&] {
      return absl::InvalidArgumentError(absl::StrCat(parameter.name, " is null; must not be"));
    });
    return HIPDNN_PLUGIN_STATUS_BAD_PARAM;
  }
  return Guarded(call);
}

/// Sets what an out parameter points to.
template <class T>
hipdnnPluginStatus_t Answer(T* out, T value) {
  return Guarded({{"the result", out}}, [&] {
    *out = value;
    return absl::OkStatus();
  });
}

std::span<const std::byte> BytesOf(const hipdnnPluginConstData_t& data) {
  if (data.ptr == nullptr) return {};
  return {static_cast<const std::byte*>(data.ptr), data.size};
}

absl::Status CheckEngine(std::int64_t id) {
  if (id == gridwise::hipdnn::kEngineId) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("there is no engine %d; %s is %d", id,
                                                    gridwise::hipdnn::kEngineName,
                                                    gridwise::hipdnn::kEngineId));
}

absl::StatusOr<ConvGraph> ReadConvGraph(const hipdnnPluginConstData_t& data) {
  const absl::StatusOr<gridwise::hipdnn::Graph> graph = gridwise::hipdnn::ParseGraph(BytesOf(data));
  if (!graph.ok()) return graph.status();
  return LowerGraph(*graph);
}

absl::StatusOr<GraphPlan> MakeGraphPlan(const hipdnnPluginConstData_t& config,
                                        const hipdnnPluginConstData_t& data) {
  const absl::StatusOr<EngineConfig> settings =
      gridwise::hipdnn::ParseEngineConfig(BytesOf(config));
  if (!settings.ok()) return settings.status();
  if (!settings->ignored.empty()) {
    Log(HIPDNN_SEV_WARN, absl::StrCat(gridwise::hipdnn::kEngineName, " has no knobs ",
                                      absl::StrJoin(settings->ignored, ", ")));
  }
  const absl::StatusOr<ConvGraph> graph = ReadConvGraph(data);
  if (!graph.ok()) return graph.status();
  return PlanGraph(*graph, settings->options);
}

/// Writes up to `max` of `found` to `ids`, and the number of all to `count`.
void WriteIds(const std::vector<std::int64_t>& found, std::int64_t* ids, std::uint32_t max,
              std::uint32_t* count) {
  *count = static_cast<std::uint32_t>(found.size());
  if (ids != nullptr) std::copy_n(found.begin(), std::min(max, *count), ids);
}

}  // namespace

extern "C" {

hipdnnPluginStatus_t hipdnnPluginGetName(const char** name) {
  return Answer<const char*>(name, "gridwise");
}

hipdnnPluginStatus_t hipdnnPluginGetVersion(const char** version) {
  return Answer<const char*>(version, gridwise::kVersion);
}

hipdnnPluginStatus_t hipdnnPluginGetApiVersion(const char** version) {
  return Answer<const char*>(version, "1.0.0");
}

hipdnnPluginStatus_t hipdnnPluginGetType(hipdnnPluginType_t* type) {
  return Answer(type, HIPDNN_PLUGIN_TYPE_ENGINE);
}

void hipdnnPluginGetLastErrorString(const char** error) {
  if (error != nullptr) *error = LastError().c_str();
}

hipdnnPluginStatus_t hipdnnPluginSetLoggingCallback(hipdnnCallback_t callback) {
  log_callback = callback;
  return HIPDNN_PLUGIN_STATUS_SUCCESS;
}

hipdnnPluginStatus_t hipdnnPluginSetLogLevel(hipdnnSeverity_t level) {
  log_level = level;
  return HIPDNN_PLUGIN_STATUS_SUCCESS;
}

hipdnnPluginStatus_t hipdnnEnginePluginGetAllEngineIds(int64_t* ids, uint32_t max,
                                                       uint32_t* count) {
  return Guarded({{"count", count}}, [&] {
    WriteIds({gridwise::hipdnn::kEngineId}, ids, max, count);
    return absl::OkStatus();
  });
}

hipdnnPluginStatus_t hipdnnEnginePluginGetEngineName(int64_t id, const char** name) {
  if (Guarded([&] { return CheckEngine(id); }) != HIPDNN_PLUGIN_STATUS_SUCCESS) {
    return HIPDNN_PLUGIN_STATUS_BAD_PARAM;
  }
  return Answer<const char*>(name, gridwise::hipdnn::kEngineName);
}

hipdnnPluginStatus_t hipdnnEnginePluginCreate(hipdnnEnginePluginHandle_t* handle) {
  return Guarded({{"handle", handle}}, [&] {
    *handle = new HipdnnEnginePluginHandle;
    return absl::OkStatus();
  });
}

hipdnnPluginStatus_t hipdnnEnginePluginDestroy(hipdnnEnginePluginHandle_t handle) {
  return Guarded({{"handle", handle}}, [&] {
    delete handle;
    return absl::OkStatus();
  });
}

hipdnnPluginStatus_t hipdnnEnginePluginSetStream(hipdnnEnginePluginHandle_t handle,
                                                 hipStream_t stream) {
  return Guarded({{"handle", handle}}, [&] {
    handle->stream = stream;
    return absl::OkStatus();
  });
}

hipdnnPluginStatus_t hipdnnEnginePluginGetApplicableEngineIds(hipdnnEnginePluginHandle_t handle,
                                                              const hipdnnPluginConstData_t* graph,
                                                              int64_t* ids, uint32_t max,
                                                              uint32_t* count) {
  return Guarded({{"handle", handle}, {"graph", graph}, {"count", count}}, [&] {
    const absl::StatusOr<ConvGraph> convolution = ReadConvGraph(*graph);
    absl::Status status = convolution.status();
    if (status.ok()) status = PlanGraph(*convolution, {}).status();
    std::vector<std::int64_t> found;
    if (status.ok()) {
      found.push_back(gridwise::hipdnn::kEngineId);
    } else {
      SetLastError(status);
      Log(HIPDNN_SEV_INFO,
          absl::StrCat(gridwise::hipdnn::kEngineName, " is not applicable: ", status.message()));
    }
    WriteIds(found, ids, max, count);
    return absl::OkStatus();
  });
}

hipdnnPluginStatus_t hipdnnEnginePluginGetEngineDetails(hipdnnEnginePluginHandle_t handle,
                                                        int64_t id,
                                                        const hipdnnPluginConstData_t* graph,
                                                        hipdnnPluginConstData_t* details) {
  return Guarded({{"handle", handle}, {"graph", graph}, {"details", details}}, [&] {
    if (absl::Status status = CheckEngine(id); !status.ok()) return status;
    const absl::StatusOr<ConvGraph> convolution = ReadConvGraph(*graph);
    if (!convolution.ok()) return convolution.status();
    const std::vector<std::string> instances = ListInstances(*convolution);
    const std::vector<std::byte> bytes = gridwise::hipdnn::SerializeEngineDetails(instances);
    auto* const copy = new std::byte[bytes.size()];
    std::copy(bytes.begin(), bytes.end(), copy);
    *details = {.ptr = copy, .size = bytes.size()};
    return absl::OkStatus();
  });
}

hipdnnPluginStatus_t hipdnnEnginePluginDestroyEngineDetails(hipdnnEnginePluginHandle_t handle,
                                                            hipdnnPluginConstData_t* details) {
  return Guarded({{"handle", handle}, {"details", details}}, [&] {
    delete[] static_cast<const std::byte*>(details->ptr);
    *details = {};
    return absl::OkStatus();
  });
}

hipdnnPluginStatus_t hipdnnEnginePluginGetWorkspaceSize(hipdnnEnginePluginHandle_t handle,
                                                        const hipdnnPluginConstData_t* config,
                                                        const hipdnnPluginConstData_t* graph,
                                                        size_t* bytes) {
  return Guarded({{"handle", handle}, {"config", config}, {"graph", graph}, {"bytes", bytes}}, [&] {
    const absl::StatusOr<GraphPlan> plan = MakeGraphPlan(*config, *graph);
    if (plan.ok()) *bytes = static_cast<std::size_t>(plan->workspace_bytes());
    return plan.status();
  });
}

hipdnnPluginStatus_t hipdnnEnginePluginCreateExecutionContext(
    hipdnnEnginePluginHandle_t handle, const hipdnnPluginConstData_t* config,
    const hipdnnPluginConstData_t* graph, hipdnnEnginePluginExecutionContext_t* context) {
  return Guarded({{"handle", handle}, {"config", config}, {"graph", graph}, {"context", context}},
                 [&] {
                   absl::StatusOr<GraphPlan> plan = MakeGraphPlan(*config, *graph);
                   if (!plan.ok()) return plan.status();
                   absl::StatusOr<LoadedGraph> loaded = LoadedGraph::Load(*std::move(plan));
                   if (!loaded.ok()) return loaded.status();
                   *context = new HipdnnEnginePluginExecutionContext{*std::move(loaded)};
                   return absl::OkStatus();
                 });
}

hipdnnPluginStatus_t hipdnnEnginePluginDestroyExecutionContext(
    hipdnnEnginePluginHandle_t handle, hipdnnEnginePluginExecutionContext_t context) {
  return Guarded({{"handle", handle}, {"context", context}}, [&] {
    delete context;
    return absl::OkStatus();
  });
}

hipdnnPluginStatus_t hipdnnEnginePluginGetWorkspaceSizeFromExecutionContext(
    hipdnnEnginePluginHandle_t handle, hipdnnEnginePluginExecutionContext_t context,
    size_t* bytes) {
  return Guarded({{"handle", handle}, {"context", context}, {"bytes", bytes}}, [&] {
    *bytes = static_cast<std::size_t>(context->graph.workspace_bytes());
    return absl::OkStatus();
  });
}

hipdnnPluginStatus_t hipdnnEnginePluginExecuteOpGraph(hipdnnEnginePluginHandle_t handle,
                                                      hipdnnEnginePluginExecutionContext_t context,
                                                      void* workspace,
                                                      const hipdnnPluginDeviceBuffer_t* buffers,
                                                      uint32_t count) {
  return Guarded({{"handle", handle}, {"context", context}, {"buffers", buffers}}, [&] {
    const std::span all(buffers, count);
    const auto address_of = [&](std::int64_t uid) -> void* {
      for (const hipdnnPluginDeviceBuffer_t& buffer : all) {
        if (buffer.uid == uid) return buffer.ptr;
      }
      return nullptr;
    };
    return context->graph.Launch(address_of, workspace, handle->stream);
  });
}

}  // extern "C"
