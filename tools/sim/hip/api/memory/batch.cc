// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/hip7.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/memory/copy.h"
#include "tools/sim/hip/stream/capture.h"

// Copies in batches, and of boxes between devices (HIP 7.1).

namespace gridwise::sim {
namespace {

// A batch's attributes change no result: copies are done in order.
hipError_t CheckAttributes(const size_t* first_copies, size_t attributes, size_t copies) {
  if (attributes > copies || (attributes != 0 && first_copies == nullptr)) {
    return Report(hipErrorInvalidValue,
                  absl::StrFormat("a batch of %u copies has %u attributes", copies, attributes));
  }
  for (size_t i = 0; i < attributes; ++i) {
    const bool in_order = i == 0 ? first_copies[i] == 0 : first_copies[i] > first_copies[i - 1];
    if (in_order && first_copies[i] < copies) continue;
    return Report(hipErrorInvalidValue,
                  absl::StrFormat("attribute %u of a batch of %u copies begins at copy %u; the "
                                  "first must begin at 0, and others after the one before",
                                  i, copies, first_copies[i]));
  }
  return hipSuccess;
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMemcpyBatchAsync(void** to, void** from, size_t* bytes, size_t count,
                               hipMemcpyAttributes*, size_t* first_copies, size_t attributes,
                               size_t* failed, hipStream_t stream) {
  if (failed != nullptr) *failed = SIZE_MAX;  // no copy in particular
  if (to == nullptr || from == nullptr || bytes == nullptr || count == 0)
    return Report(hipErrorInvalidValue);
  if (hipError_t error = CheckAttributes(first_copies, attributes, count); error != hipSuccess)
    return error;
  for (size_t i = 0; i < count; ++i) {
    const hipError_t error =
        Enqueue(stream, LinearCopy(to[i], from[i], bytes[i], hipMemcpyDefault));
    if (error == hipSuccess) continue;
    if (failed != nullptr) *failed = i;
    return error;
  }
  return Report(hipSuccess);
}

hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms* p, hipStream_t stream) {
  if (p == nullptr) return Report(hipErrorInvalidValue);
  if (DeviceAt(p->srcDevice) == nullptr || DeviceAt(p->dstDevice) == nullptr)
    return Report(hipErrorInvalidDevice);
  const hipMemcpy3DParms parameters = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                       p->dstPos,   p->dstPtr, p->extent, hipMemcpyDeviceToDevice};
  return hipMemcpy3DAsync(&parameters, stream);
}

hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms* parameters) {
  return Awaited(hipMemcpy3DPeerAsync(parameters, nullptr));
}

}  // extern "C"
