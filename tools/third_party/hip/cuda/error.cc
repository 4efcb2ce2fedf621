// SPDX-License-Identifier: MIT
#include <array>
#include <cstdio>
#include <string>

#include "tools/third_party/hip/cuda/driver.h"

namespace gridwise::cuda {
namespace {

struct Error {
  Result cuda;
  hipError_t hip;
  const char* name;
  const char* sentence;
};

/// The first row of each HIP error names it.
constexpr std::array kErrors = {
    Error{0, hipSuccess, "hipSuccess", "no error"},
    Error{1, hipErrorInvalidValue, "hipErrorInvalidValue", "an argument has a value out of range"},
    Error{2, hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    Error{3, hipErrorNotInitialized, "hipErrorNotInitialized", "the driver is not initialised"},
    Error{4, hipErrorDeinitialized, "hipErrorDeinitialized", "the driver is shutting down"},
    Error{35, hipErrorInsufficientDriver, "hipErrorInsufficientDriver",
          "the driver is older than this program needs"},
    Error{100, hipErrorNoDevice, "hipErrorNoDevice", "no GPU is detected"},
    Error{101, hipErrorInvalidDevice, "hipErrorInvalidDevice", "there is no device of this number"},
    Error{200, hipErrorInvalidImage, "hipErrorInvalidImage", "the code object is invalid"},
    Error{218, hipErrorInvalidImage, "hipErrorInvalidImage", "the code object is invalid"},
    Error{222, hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
          "the code object needs a newer driver"},
    Error{209, hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
          "the code object is for another kind of GPU"},
    Error{201, hipErrorInvalidContext, "hipErrorInvalidContext", "there is no valid context"},
    Error{400, hipErrorInvalidHandle, "hipErrorInvalidHandle", "a handle is invalid"},
    Error{500, hipErrorNotFound, "hipErrorNotFound", "there is none of this name"},
    Error{600, hipErrorNotReady, "hipErrorNotReady", "the work is not done yet"},
    Error{700, hipErrorIllegalAddress, "hipErrorIllegalAddress",
          "a kernel accessed memory that is not its own"},
    Error{701, hipErrorLaunchOutOfResources, "hipErrorLaunchOutOfResources",
          "the launch needs more registers or shared memory than there are"},
    Error{702, hipErrorLaunchTimeOut, "hipErrorLaunchTimeOut", "a kernel took too long"},
    Error{719, hipErrorLaunchFailure, "hipErrorLaunchFailure", "a kernel failed"},
    Error{900, hipErrorStreamCaptureUnsupported, "hipErrorStreamCaptureUnsupported",
          "the operation is not allowed while a stream is captured"},
    Error{901, hipErrorStreamCaptureInvalidated, "hipErrorStreamCaptureInvalidated",
          "an earlier operation made the capture invalid"},
    Error{999, hipErrorUnknown, "hipErrorUnknown", "an error that HIP has no name for"},
};

const Error& Find(hipError_t hip) {
  for (const Error& error : kErrors) {
    if (error.hip == hip) return error;
  }
  return kErrors.back();
}

struct Description {
  hipError_t error = hipSuccess;
  std::string sentence;
};
Description& TheDescription() {
  thread_local Description description;
  return description;
}

}  // namespace

void Describe(hipError_t error, std::string_view sentence) {
  TheDescription() = {error, std::string(sentence)};
}

hipError_t Translate(Result result) {
  for (const Error& error : kErrors) {
    if (error.cuda == result) return error.hip;
  }
  const char* text = nullptr;
  if (const Driver* driver = GetDriver()) static_cast<void>(driver->GetErrorString(result, &text));
  char sentence[256];
  std::snprintf(sentence, sizeof(sentence), "error %d of the CUDA driver: %s", result,
                text == nullptr ? "it has no text" : text);
  Describe(hipErrorUnknown, sentence);
  return hipErrorUnknown;
}

}  // namespace gridwise::cuda

extern "C" {

const char* hipGetErrorName(hipError_t error) { return gridwise::cuda::Find(error).name; }

const char* hipGetErrorString(hipError_t error) {
  const auto& description = gridwise::cuda::TheDescription();
  if (description.error == error && error != hipSuccess) return description.sentence.c_str();
  return gridwise::cuda::Find(error).sentence;
}

}  // extern "C"
