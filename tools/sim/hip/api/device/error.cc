// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"

// Errors: the last one of a thread, and their names.

namespace gridwise::sim {
namespace {

struct ErrorText {
  hipError_t error;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "not initialized"},
    {hipErrorDeinitialized, "hipErrorDeinitialized", "deinitialized"},
    {hipErrorProfilerDisabled, "hipErrorProfilerDisabled", "profiler disabled"},
    {hipErrorProfilerNotInitialized, "hipErrorProfilerNotInitialized", "profiler not initialized"},
    {hipErrorProfilerAlreadyStarted, "hipErrorProfilerAlreadyStarted", "profiler already started"},
    {hipErrorProfilerAlreadyStopped, "hipErrorProfilerAlreadyStopped", "profiler already stopped"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration",
     "invalid configuration argument"},
    {hipErrorInvalidPitchValue, "hipErrorInvalidPitchValue", "invalid pitch value"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid symbol"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection", "invalid memcpy direction"},
    {hipErrorInsufficientDriver, "hipErrorInsufficientDriver", "insufficient driver"},
    {hipErrorMissingConfiguration, "hipErrorMissingConfiguration", "missing configuration"},
    {hipErrorPriorLaunchFailure, "hipErrorPriorLaunchFailure", "prior launch failure"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage", "device kernel image is invalid"},
    {hipErrorInvalidContext, "hipErrorInvalidContext", "invalid device context"},
    {hipErrorContextAlreadyCurrent, "hipErrorContextAlreadyCurrent", "context already current"},
    {hipErrorMapFailed, "hipErrorMapFailed", "map failed"},
    {hipErrorUnmapFailed, "hipErrorUnmapFailed", "unmap failed"},
    {hipErrorArrayIsMapped, "hipErrorArrayIsMapped", "array is mapped"},
    {hipErrorAlreadyMapped, "hipErrorAlreadyMapped", "already mapped"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
     "no kernel image is available for execution on the device"},
    {hipErrorAlreadyAcquired, "hipErrorAlreadyAcquired", "already acquired"},
    {hipErrorNotMapped, "hipErrorNotMapped", "not mapped"},
    {hipErrorNotMappedAsArray, "hipErrorNotMappedAsArray", "not mapped as array"},
    {hipErrorNotMappedAsPointer, "hipErrorNotMappedAsPointer", "not mapped as pointer"},
    {hipErrorECCNotCorrectable, "hipErrorECCNotCorrectable", "uncorrectable ECC error encountered"},
    {hipErrorUnsupportedLimit, "hipErrorUnsupportedLimit", "unsupported limit"},
    {hipErrorContextAlreadyInUse, "hipErrorContextAlreadyInUse", "context already in use"},
    {hipErrorPeerAccessUnsupported, "hipErrorPeerAccessUnsupported", "peer access unsupported"},
    {hipErrorInvalidKernelFile, "hipErrorInvalidKernelFile", "invalid kernel file"},
    {hipErrorInvalidGraphicsContext, "hipErrorInvalidGraphicsContext", "invalid graphics context"},
    {hipErrorInvalidSource, "hipErrorInvalidSource", "invalid source"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorSharedObjectSymbolNotFound, "hipErrorSharedObjectSymbolNotFound",
     "shared object symbol not found"},
    {hipErrorSharedObjectInitFailed, "hipErrorSharedObjectInitFailed", "shared object init failed"},
    {hipErrorOperatingSystem, "hipErrorOperatingSystem", "operating system"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorIllegalState, "hipErrorIllegalState", "illegal state"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "not ready"},
    {hipErrorIllegalAddress, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {hipErrorLaunchOutOfResources, "hipErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {hipErrorLaunchTimeOut, "hipErrorLaunchTimeOut", "launch time out"},
    {hipErrorPeerAccessAlreadyEnabled, "hipErrorPeerAccessAlreadyEnabled",
     "peer access already enabled"},
    {hipErrorPeerAccessNotEnabled, "hipErrorPeerAccessNotEnabled", "peer access not enabled"},
    {hipErrorSetOnActiveProcess, "hipErrorSetOnActiveProcess", "set on active process"},
    {hipErrorContextIsDestroyed, "hipErrorContextIsDestroyed", "context is destroyed"},
    {hipErrorAssert, "hipErrorAssert", "assert"},
    {hipErrorHostMemoryAlreadyRegistered, "hipErrorHostMemoryAlreadyRegistered",
     "host memory already registered"},
    {hipErrorHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered",
     "host memory not registered"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorCooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge",
     "cooperative launch too large"},
    {hipErrorNotSupported, "hipErrorNotSupported", "not supported"},
    {hipErrorStreamCaptureUnsupported, "hipErrorStreamCaptureUnsupported",
     "stream capture unsupported"},
    {hipErrorStreamCaptureInvalidated, "hipErrorStreamCaptureInvalidated",
     "stream capture invalidated"},
    {hipErrorStreamCaptureMerge, "hipErrorStreamCaptureMerge", "stream capture merge"},
    {hipErrorStreamCaptureUnmatched, "hipErrorStreamCaptureUnmatched", "stream capture unmatched"},
    {hipErrorStreamCaptureUnjoined, "hipErrorStreamCaptureUnjoined", "stream capture unjoined"},
    {hipErrorStreamCaptureIsolation, "hipErrorStreamCaptureIsolation", "stream capture isolation"},
    {hipErrorStreamCaptureImplicit, "hipErrorStreamCaptureImplicit", "stream capture implicit"},
    {hipErrorCapturedEvent, "hipErrorCapturedEvent", "captured event"},
    {hipErrorStreamCaptureWrongThread, "hipErrorStreamCaptureWrongThread",
     "stream capture wrong thread"},
    {hipErrorGraphExecUpdateFailure, "hipErrorGraphExecUpdateFailure", "graph exec update failure"},
    {hipErrorInvalidChannelDescriptor, "hipErrorInvalidChannelDescriptor",
     "invalid channel descriptor"},
    {hipErrorInvalidTexture, "hipErrorInvalidTexture", "invalid texture"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
    {hipErrorRuntimeMemory, "hipErrorRuntimeMemory", "runtime memory"},
    {hipErrorRuntimeOther, "hipErrorRuntimeOther", "runtime other"},
};

const ErrorText* Find(hipError_t error) {
  const auto* found = std::find_if(std::begin(kErrors), std::end(kErrors),
                                   [&](const ErrorText& e) { return e.error == error; });
  return found == std::end(kErrors) ? nullptr : found;
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipGetLastError(void) {
  const hipError_t error = LastError();
  ClearLastError();
  return error;
}

hipError_t hipExtGetLastError(void) {
  const hipError_t error = LastCallError();
  ClearLastError();
  return error;
}

hipError_t hipPeekAtLastError(void) { return LastError(); }

const char* hipGetErrorName(hipError_t error) {
  const ErrorText* text = Find(error);
  return text == nullptr ? "hipErrorUnknown" : text->name;
}

const char* hipGetErrorString(hipError_t error) {
  const ErrorText* text = Find(error);
  return text == nullptr ? "unknown error" : text->text;
}

hipError_t hipDrvGetErrorName(hipError_t error, const char** name) {
  if (name == nullptr || Find(error) == nullptr) return hipErrorInvalidValue;
  *name = Find(error)->name;
  return hipSuccess;
}

hipError_t hipDrvGetErrorString(hipError_t error, const char** text) {
  if (text == nullptr || Find(error) == nullptr) return hipErrorInvalidValue;
  *text = Find(error)->text;
  return hipSuccess;
}

}  // extern "C"
