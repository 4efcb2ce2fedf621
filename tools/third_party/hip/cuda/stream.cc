// SPDX-License-Identifier: MIT
#include "tools/third_party/hip/cuda/driver.h"

using gridwise::cuda::Call;
using gridwise::cuda::Driver;

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) {
  return Call<&Driver::StreamCreate>(reinterpret_cast<void**>(stream), 0u);
}
hipError_t hipStreamDestroy(hipStream_t stream) { return Call<&Driver::StreamDestroy>(stream); }
hipError_t hipStreamSynchronize(hipStream_t stream) {
  return Call<&Driver::StreamSynchronize>(stream);
}

// The values of hipStreamCaptureMode are CUstreamCaptureMode's.
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return Call<&Driver::StreamBeginCapture>(stream, static_cast<int>(mode));
}
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return Call<&Driver::StreamEndCapture>(stream, reinterpret_cast<void**>(graph));
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph,
                                        unsigned long long flags) {
  return Call<&Driver::GraphInstantiate>(reinterpret_cast<void**>(executable), graph, flags);
}
/// CUDA writes no log.
hipError_t hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph, hipGraphNode_t*, char*,
                               std::size_t) {
  return hipGraphInstantiateWithFlags(executable, graph, 0);
}
hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  return Call<&Driver::GraphLaunch>(executable, stream);
}
hipError_t hipGraphDestroy(hipGraph_t graph) { return Call<&Driver::GraphDestroy>(graph); }
hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
  return Call<&Driver::GraphExecDestroy>(executable);
}

hipError_t hipEventCreate(hipEvent_t* event) {
  return Call<&Driver::EventCreate>(reinterpret_cast<void**>(event), 0u);
}
hipError_t hipEventDestroy(hipEvent_t event) { return Call<&Driver::EventDestroy>(event); }
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return Call<&Driver::EventRecord>(event, stream);
}
hipError_t hipEventSynchronize(hipEvent_t event) { return Call<&Driver::EventSynchronize>(event); }
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  return Call<&Driver::EventElapsedTime>(milliseconds, start, stop);
}

}  // extern "C"
