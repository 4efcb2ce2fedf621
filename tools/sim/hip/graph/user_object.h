// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "hip/hip_runtime_api.h"

/// User objects: what a program wants destroyed when the last graph that uses it is gone.

namespace gridwise::sim {

/// A new object with `references` of the program; `destroy` is called with the last one.
hipUserObject_t MakeUserObject(void* data, hipHostFn_t destroy, unsigned int references);
bool IsUserObject(hipUserObject_t object);
/// Adds references, and gives some up; false, and nothing changes, if the object is not live or
/// there would be too many, or has fewer.
bool Retain(hipUserObject_t object, unsigned int count);
bool ReleaseReferences(hipUserObject_t object, unsigned int count);

/// The references that a graph owns; a copy owns as many of its own. Not thread-safe.
class UserReferences {
 public:
  UserReferences() = default;
  UserReferences(const UserReferences& other);
  UserReferences& operator=(const UserReferences& other);
  ~UserReferences();

  /// Owns `count` references, which the caller had, more.
  void Add(hipUserObject_t object, unsigned int count) { counts_[object] += count; }
  /// Gives up `count` references; false if it does not own as many.
  bool Release(hipUserObject_t object, unsigned int count);

 private:
  std::map<hipUserObject_t, unsigned int> counts_;
};

}  // namespace gridwise::sim
