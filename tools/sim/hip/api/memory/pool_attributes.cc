// SPDX-License-Identifier: MIT
#include <cstdint>
#include <memory>
#include <mutex>

#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/api/memory/find_pool.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/memory/allocations.h"
#include "tools/sim/hip/memory/pool.h"

// Attributes of memory pools. Pools keep no freed memory, so settings about keeping and reusing it
// can be read back but have no effect.

namespace gridwise::sim {
namespace {

using Pool = ihipMemPoolHandle_t;

bool IsReuse(hipMemPoolAttr attribute) {
  return attribute == hipMemPoolReuseFollowEventDependencies ||
         attribute == hipMemPoolReuseAllowOpportunistic ||
         attribute == hipMemPoolReuseAllowInternalDependencies;
}

// Guards the settings of all pools.
std::mutex& SettingsMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

uint64_t Setting(const Pool& pool, hipMemPoolAttr attribute) {
  std::lock_guard lock(SettingsMutex());
  const auto set = pool.settings.find(attribute);
  return set != pool.settings.end() ? set->second : IsReuse(attribute) ? 1 : 0;
}

void Set(Pool& pool, hipMemPoolAttr attribute, uint64_t value) {
  std::lock_guard lock(SettingsMutex());
  pool.settings[attribute] = value;
}

}  // namespace
}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  const std::shared_ptr<Pool> found = FindPool(pool);
  if (found == nullptr || value == nullptr) return Report(hipErrorInvalidValue);
  if (IsReuse(attribute)) {
    Set(*found, attribute, *static_cast<int*>(value) != 0 ? 1 : 0);
    return Report(hipSuccess);
  }
  const uint64_t bytes = *static_cast<uint64_t*>(value);
  switch (attribute) {
    case hipMemPoolAttrReleaseThreshold:
      Set(*found, attribute, bytes);
      return Report(hipSuccess);
    case hipMemPoolAttrReservedMemHigh:
    case hipMemPoolAttrUsedMemHigh:  // can be reset only
      if (bytes != 0) return Report(hipErrorInvalidValue);
      ResetPeakUsed(*found);
      return Report(hipSuccess);
    default:
      return Report(hipErrorInvalidValue);
  }
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  const std::shared_ptr<Pool> found = FindPool(pool);
  if (found == nullptr || value == nullptr) return Report(hipErrorInvalidValue);
  if (IsReuse(attribute)) {
    *static_cast<int*>(value) = static_cast<int>(Setting(*found, attribute));
    return Report(hipSuccess);
  }
  auto* const bytes = static_cast<uint64_t*>(value);
  switch (attribute) {
    case hipMemPoolAttrReleaseThreshold:
      *bytes = Setting(*found, attribute);
      return Report(hipSuccess);
    case hipMemPoolAttrReservedMemHigh:
    case hipMemPoolAttrUsedMemHigh:
      *bytes = UseOf(*found).most;
      return Report(hipSuccess);
    case hipMemPoolAttrReservedMemCurrent:
    case hipMemPoolAttrUsedMemCurrent:
      *bytes = UseOf(*found).bytes;
      return Report(hipSuccess);
    default:
      return Report(hipErrorInvalidValue);
  }
}

}  // extern "C"
