#include "tools/sim/hip/graph/user_object.h"

#include <climits>
#include <mutex>

#include "absl/strings/str_format.h"
#include "tools/sim/hip/device/handles.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/graph/graph.h"

struct hipUserObject {
  void* const data;
  const hipHostFn_t destroy;
  unsigned int references;  // of the program and of graphs
};

namespace gridwise::sim {
namespace {

Handles<hipUserObject>& Objects() { return LiveHandles<hipUserObject>(); }

// Guards the counts.
std::mutex& CountMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

bool IsCount(unsigned int count) { return count > 0 && count <= INT_MAX; }

bool Retain(hipUserObject_t object, unsigned int count) {
  std::lock_guard lock(CountMutex());
  if (!Objects().Has(object) || count > INT_MAX - object->references) return false;
  object->references += count;
  return true;
}

// Destroys the object with its last reference. False if there are not as many.
bool ReleaseReferences(hipUserObject_t object, unsigned int count) {
  {
    std::lock_guard lock(CountMutex());
    if (!Objects().Has(object) || count > object->references) return false;
    object->references -= count;
    if (object->references != 0) return true;
    Objects().Forget(object);
  }
  object->destroy(object->data);  // without the lock: it may use HIP
  delete object;
  return true;
}

}  // namespace

UserReferences::UserReferences(const UserReferences& other) : counts_(other.counts_) {
  for (const auto& [object, count] : counts_) Retain(object, count);
}

UserReferences& UserReferences::operator=(const UserReferences& other) {
  UserReferences copy(other);
  counts_.swap(copy.counts_);
  return *this;
}

UserReferences::~UserReferences() {
  for (const auto& [object, count] : counts_) ReleaseReferences(object, count);
}

bool UserReferences::Release(hipUserObject_t object, unsigned int count) {
  const auto found = counts_.find(object);
  if (found == counts_.end() || found->second < count) return false;
  found->second -= count;
  if (found->second == 0) counts_.erase(found);
  return ReleaseReferences(object, count);
}

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
  *object = Objects().Add(new hipUserObject{data, destroy, references});
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
  if (!(moved ? Objects().Has(object) : Retain(object, count))) return Report(hipErrorInvalidValue);
  graph->references.Add(object, count);
  return Report(hipSuccess);
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count) {
  const bool released =
      IsGraph(graph) && IsCount(count) && graph->references.Release(object, count);
  return Report(released ? hipSuccess : hipErrorInvalidValue);
}

}  // extern "C"
