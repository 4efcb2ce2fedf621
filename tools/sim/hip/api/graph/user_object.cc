// SPDX-License-Identifier: MIT
#include "tools/sim/hip/graph/user_object.h"

#include <climits>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/graph.h"

namespace gridwise::sim {
namespace {

bool IsCount(unsigned int count) { return count > 0 && count <= INT_MAX; }

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipUserObjectCreate(hipUserObject_t* object, void* data, hipHostFn_t destroy,
                               unsigned int references, unsigned int flags) {
  if (object == nullptr || destroy == nullptr) return Report(hipErrorInvalidValue);
  if (flags != hipUserObjectNoDestructorSync || !IsCount(references)) {
    return Report(hipErrorInvalidValue,
                  absl::StrFormat("a user object with %u references and flags %#x; it must have at "
                                  "least one and hipUserObjectNoDestructorSync",
                                  references, flags));
  }
  *object = MakeUserObject(data, destroy, references);
  return Report(hipSuccess);
}

hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count) {
  return Report(IsCount(count) && Retain(object, count) ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count) {
  return Report(IsCount(count) && ReleaseReferences(object, count) ? hipSuccess
                                                                   : hipErrorInvalidValue);
}

// Moved references are the caller's; others are new.
hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count,
                                    unsigned int flags) {
  if (!IsGraph(graph) || !IsCount(count) || (flags & ~unsigned{hipGraphUserObjectMove}) != 0)
    return Report(hipErrorInvalidValue);
  const bool moved = flags == hipGraphUserObjectMove;
  if (!(moved ? IsUserObject(object) : Retain(object, count))) return Report(hipErrorInvalidValue);
  graph->references.Add(object, count);
  return Report(hipSuccess);
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count) {
  const bool released =
      IsGraph(graph) && IsCount(count) && graph->references.Release(object, count);
  return Report(released ? hipSuccess : hipErrorInvalidValue);
}

}  // extern "C"
