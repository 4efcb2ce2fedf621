// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "hip/hip_runtime_api.h"

/// The functions that hipDNN looks up in an engine plugin, version 1.0.0 of that API, and what
/// later versions of it may look up.
///
/// Names, numbers, structs and signatures are hipDNN's: plugin_sdk/include/hipdnn_plugin_sdk,
/// PluginApi.h, PluginApiDataTypes.h and EnginePluginApi.h of ROCm/rocm-libraries, projects/hipdnn,
/// 2026.
///
/// hipDNN calls a function that returns a list twice: with `max` = 0, to learn `count`, and then
/// with an array. Data is a serialised FlatBuffer. A function that does not return
/// HIPDNN_PLUGIN_STATUS_SUCCESS leaves a sentence for hipdnnPluginGetLastErrorString.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HIPDNN_PLUGIN_STATUS_SUCCESS = 0,
  HIPDNN_PLUGIN_STATUS_BAD_PARAM = 1,
  HIPDNN_PLUGIN_STATUS_INVALID_VALUE = 2,
  HIPDNN_PLUGIN_STATUS_INTERNAL_ERROR = 3,
  HIPDNN_PLUGIN_STATUS_ALLOC_FAILED = 4,
  HIPDNN_PLUGIN_STATUS_NOT_APPLICABLE = 5,
} hipdnnPluginStatus_t;

typedef enum { HIPDNN_PLUGIN_TYPE_ENGINE = 1 } hipdnnPluginType_t;

typedef enum {
  HIPDNN_SEV_INFO = 0,
  HIPDNN_SEV_WARN,
  HIPDNN_SEV_ERROR,
  HIPDNN_SEV_FATAL,
  HIPDNN_SEV_OFF
} hipdnnSeverity_t;

typedef void (*hipdnnCallback_t)(hipdnnSeverity_t severity, const char* message);

typedef struct {
  const void* ptr;
  size_t size;
} hipdnnPluginConstData_t;

typedef struct {
  int64_t uid;
  void* ptr;
} hipdnnPluginDeviceBuffer_t;

typedef struct HipdnnEnginePluginHandle* hipdnnEnginePluginHandle_t;
typedef struct HipdnnEnginePluginExecutionContext* hipdnnEnginePluginExecutionContext_t;

// The plugin. Texts live as long as it does, the last error until the thread's next call.
hipdnnPluginStatus_t hipdnnPluginGetName(const char** name);
hipdnnPluginStatus_t hipdnnPluginGetVersion(const char** version);
hipdnnPluginStatus_t hipdnnPluginGetApiVersion(const char** version);
hipdnnPluginStatus_t hipdnnPluginGetType(hipdnnPluginType_t* type);
void hipdnnPluginGetLastErrorString(const char** error);
hipdnnPluginStatus_t hipdnnPluginSetLoggingCallback(hipdnnCallback_t callback);
hipdnnPluginStatus_t hipdnnPluginSetLogLevel(hipdnnSeverity_t level);

// The plugin's engines.
hipdnnPluginStatus_t hipdnnEnginePluginGetAllEngineIds(int64_t* ids, uint32_t max, uint32_t* count);
hipdnnPluginStatus_t hipdnnEnginePluginGetEngineName(int64_t id, const char** name);
hipdnnPluginStatus_t hipdnnEnginePluginCreate(hipdnnEnginePluginHandle_t* handle);
hipdnnPluginStatus_t hipdnnEnginePluginDestroy(hipdnnEnginePluginHandle_t handle);
hipdnnPluginStatus_t hipdnnEnginePluginSetStream(hipdnnEnginePluginHandle_t handle,
                                                 hipStream_t stream);

// A graph. `graph` is a Graph, `config` an EngineConfig, `details` an EngineDetails.
hipdnnPluginStatus_t hipdnnEnginePluginGetApplicableEngineIds(hipdnnEnginePluginHandle_t handle,
                                                              const hipdnnPluginConstData_t* graph,
                                                              int64_t* ids, uint32_t max,
                                                              uint32_t* count);
hipdnnPluginStatus_t hipdnnEnginePluginGetEngineDetails(hipdnnEnginePluginHandle_t handle,
                                                        int64_t id,
                                                        const hipdnnPluginConstData_t* graph,
                                                        hipdnnPluginConstData_t* details);
hipdnnPluginStatus_t hipdnnEnginePluginDestroyEngineDetails(hipdnnEnginePluginHandle_t handle,
                                                            hipdnnPluginConstData_t* details);
hipdnnPluginStatus_t hipdnnEnginePluginGetWorkspaceSize(hipdnnEnginePluginHandle_t handle,
                                                        const hipdnnPluginConstData_t* config,
                                                        const hipdnnPluginConstData_t* graph,
                                                        size_t* bytes);

// A graph whose kernels are loaded. A context must live until the work that it started is done.
hipdnnPluginStatus_t hipdnnEnginePluginCreateExecutionContext(
    hipdnnEnginePluginHandle_t handle, const hipdnnPluginConstData_t* config,
    const hipdnnPluginConstData_t* graph, hipdnnEnginePluginExecutionContext_t* context);
hipdnnPluginStatus_t hipdnnEnginePluginDestroyExecutionContext(
    hipdnnEnginePluginHandle_t handle, hipdnnEnginePluginExecutionContext_t context);
hipdnnPluginStatus_t hipdnnEnginePluginGetWorkspaceSizeFromExecutionContext(
    hipdnnEnginePluginHandle_t handle, hipdnnEnginePluginExecutionContext_t context, size_t* bytes);
hipdnnPluginStatus_t hipdnnEnginePluginExecuteOpGraph(hipdnnEnginePluginHandle_t handle,
                                                      hipdnnEnginePluginExecutionContext_t context,
                                                      void* workspace,
                                                      const hipdnnPluginDeviceBuffer_t* buffers,
                                                      uint32_t count);

#ifdef __cplusplus
}  // extern "C"
#endif
