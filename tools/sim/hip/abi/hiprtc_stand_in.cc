// SPDX-License-Identifier: MIT
// A libhiprtc that compiles nothing: shared_library_test sees by it where calls arrive.

#include "hip/hiprtc.h"

extern "C" {

hiprtcResult hiprtcVersion(int* major, int* minor) {
  *major = 77;
  *minor = 5;
  return HIPRTC_SUCCESS;
}

const char* hiprtcGetErrorString(hiprtcResult) { return "the stand-in's"; }

}  // extern "C"
