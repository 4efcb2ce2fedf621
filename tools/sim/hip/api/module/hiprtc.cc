// SPDX-License-Identifier: MIT
// Run-time compilation, which needs no GPU: the entry points that libamdhip64 had before HIP 7 pass
// their arguments on to the compiler of an installed libhiprtc. Programs of HIP 7 call that library
// themselves, but the loader finds these names first.

#include "hip/hiprtc.h"

#include <dlfcn.h>

#include <initializer_list>

#include "tools/sim/hip/device/unsupported.h"

namespace gridwise::sim {
namespace {

/// The function of the libhiprtc that the process has loaded, or that the loader finds; else null.
void* FindInHiprtc(const char* name) {
  for (const char* library : {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5"}) {
    if (void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL)) return dlsym(handle, name);
  }
  return nullptr;
}

/// Calls the function called `name`, which has the type of `entry_point`.
template <class Function, class... Args>
hiprtcResult Forward(Function* /*entry_point*/, const char* name, Args... args) {
  auto* const function = reinterpret_cast<Function*>(FindInHiprtc(name));
  if (function == nullptr) return static_cast<hiprtcResult>(Unsupported(name));
  return function(args...);
}

}  // namespace
}  // namespace gridwise::sim

using gridwise::sim::FindInHiprtc;
using gridwise::sim::Forward;

#define GRIDWISE_SIM_FORWARD(name, ...) return Forward(name, #name, __VA_ARGS__)

extern "C" {

const char* hiprtcGetErrorString(hiprtcResult result) {
  using Function = decltype(hiprtcGetErrorString);
  auto* const function = reinterpret_cast<Function*>(FindInHiprtc("hiprtcGetErrorString"));
  if (function != nullptr) return function(result);
  return result == HIPRTC_SUCCESS ? "HIPRTC_SUCCESS" : "there is no libhiprtc, which compiles";
}

hiprtcResult hiprtcVersion(int* major, int* minor) {
  GRIDWISE_SIM_FORWARD(hiprtcVersion, major, minor);
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char* name,
                                 int headers, const char** header_sources,
                                 const char** header_names) {
  GRIDWISE_SIM_FORWARD(hiprtcCreateProgram, program, source, name, headers, header_sources,
                       header_names);
}
hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program) {
  GRIDWISE_SIM_FORWARD(hiprtcDestroyProgram, program);
}
hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char* expression) {
  GRIDWISE_SIM_FORWARD(hiprtcAddNameExpression, program, expression);
}
hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char** options) {
  GRIDWISE_SIM_FORWARD(hiprtcCompileProgram, program, count, options);
}
hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char* expression,
                                  const char** name) {
  GRIDWISE_SIM_FORWARD(hiprtcGetLoweredName, program, expression, name);
}
hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* log) {
  GRIDWISE_SIM_FORWARD(hiprtcGetProgramLog, program, log);
}
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t* bytes) {
  GRIDWISE_SIM_FORWARD(hiprtcGetProgramLogSize, program, bytes);
}
hiprtcResult hiprtcGetCode(hiprtcProgram program, char* code) {
  GRIDWISE_SIM_FORWARD(hiprtcGetCode, program, code);
}
hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t* bytes) {
  GRIDWISE_SIM_FORWARD(hiprtcGetCodeSize, program, bytes);
}
hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char* bitcode) {
  GRIDWISE_SIM_FORWARD(hiprtcGetBitcode, program, bitcode);
}
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t* bytes) {
  GRIDWISE_SIM_FORWARD(hiprtcGetBitcodeSize, program, bytes);
}

hiprtcResult hiprtcLinkCreate(unsigned int count, hiprtcJIT_option* options, void** values,
                              hiprtcLinkState* state) {
  GRIDWISE_SIM_FORWARD(hiprtcLinkCreate, count, options, values, state);
}
hiprtcResult hiprtcLinkAddFile(hiprtcLinkState state, hiprtcJITInputType type, const char* path,
                               unsigned int count, hiprtcJIT_option* options, void** values) {
  GRIDWISE_SIM_FORWARD(hiprtcLinkAddFile, state, type, path, count, options, values);
}
hiprtcResult hiprtcLinkAddData(hiprtcLinkState state, hiprtcJITInputType type, void* image,
                               size_t bytes, const char* name, unsigned int count,
                               hiprtcJIT_option* options, void** values) {
  GRIDWISE_SIM_FORWARD(hiprtcLinkAddData, state, type, image, bytes, name, count, options, values);
}
hiprtcResult hiprtcLinkComplete(hiprtcLinkState state, void** binary, size_t* bytes) {
  GRIDWISE_SIM_FORWARD(hiprtcLinkComplete, state, binary, bytes);
}
hiprtcResult hiprtcLinkDestroy(hiprtcLinkState state) {
  GRIDWISE_SIM_FORWARD(hiprtcLinkDestroy, state);
}

}  // extern "C"
