// SPDX-License-Identifier: MIT
#include "tools/sim/hip/graph/user_object.h"

#include <climits>
#include <mutex>

#include "tools/sim/hip/device/handles.h"

struct hipUserObject {
  void* const data;
  const hipHostFn_t destroy;
  unsigned int references;  // held by the program and by graphs
};

namespace gridwise::sim {
namespace {

Handles<hipUserObject>& Objects() { return LiveHandles<hipUserObject>(); }

// Guards the counts.
std::mutex& CountMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

}  // namespace

hipUserObject_t MakeUserObject(void* data, hipHostFn_t destroy, unsigned int references) {
  return Objects().Add(new hipUserObject{data, destroy, references});
}

bool IsUserObject(hipUserObject_t object) { return Objects().Has(object); }

bool Retain(hipUserObject_t object, unsigned int count) {
  std::lock_guard lock(CountMutex());
  if (!Objects().Has(object) || count > INT_MAX - object->references) return false;
  object->references += count;
  return true;
}

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
