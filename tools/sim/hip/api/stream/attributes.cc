// SPDX-License-Identifier: MIT
#include "tools/sim/hip/api/stream/attributes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/hip/abi/hip7.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/stream/stream.h"

// Attributes of streams (HIP 7). Nothing runs concurrently here, so programs can read back what
// they set, but it has no effect.

namespace gridwise::sim {
namespace {

constexpr int kSyncPolicyAuto = 1;
// Domains of memory order: the default one, the remote one.
constexpr unsigned char kDomains[] = {0, 1};

// Values that have been set, by stream and attribute.
struct Attributes {
  std::mutex mutex;
  std::map<std::pair<uint64_t, int>, hipLaunchAttributeValue> values;
};

Attributes& TheAttributes() {
  static auto* const attributes = new Attributes;
  return *attributes;
}

hipError_t Refuse(int attribute) {
  return Report(hipErrorInvalidValue,
                absl::StrFormat("attribute %d is none of a stream's", attribute));
}

bool IsOfStreams(int attribute) {
  return attribute == hipLaunchAttributeAccessPolicyWindow ||
         attribute == hipLaunchAttributeSynchronizationPolicy ||
         attribute == hipLaunchAttributePriority ||
         attribute == hipLaunchAttributeMemSyncDomainMap ||
         attribute == hipLaunchAttributeMemSyncDomain;
}

// The value of an attribute that was not set.
hipLaunchAttributeValue DefaultOf(int attribute) {
  hipLaunchAttributeValue value = {};
  if (attribute == hipLaunchAttributeSynchronizationPolicy) value.priority = kSyncPolicyAuto;
  if (attribute == hipLaunchAttributeMemSyncDomainMap) {
    auto* const bytes = reinterpret_cast<unsigned char*>(&value);
    std::copy(std::begin(kDomains), std::end(kDomains), bytes);
  }
  return value;
}

}  // namespace

void ForgetAttributes(uint64_t stream) {
  Attributes& attributes = TheAttributes();
  std::lock_guard lock(attributes.mutex);
  std::erase_if(attributes.values, [&](const auto& entry) { return entry.first.first == stream; });
}

}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long* id) {
  if (id == nullptr) return Report(hipErrorInvalidValue);
  const uint64_t known = IdOfStream(stream);
  if (known == 0) return Report(hipErrorInvalidHandle);
  *id = known;
  return Report(hipSuccess);
}

hipError_t hipStreamSetAttribute(hipStream_t stream, hipLaunchAttributeID attribute,
                                 const hipLaunchAttributeValue* value) {
  if (value == nullptr) return Report(hipErrorInvalidValue);
  const uint64_t id = IdOfStream(stream);
  if (id == 0) return Report(hipErrorInvalidResourceHandle);
  if (!IsOfStreams(attribute)) return Refuse(attribute);
  if (attribute == hipLaunchAttributePriority) {
    SetPriority(stream, value->priority);
    return Report(hipSuccess);
  }
  std::lock_guard lock(TheAttributes().mutex);
  TheAttributes().values[{id, attribute}] = *value;
  return Report(hipSuccess);
}

hipError_t hipStreamGetAttribute(hipStream_t stream, hipLaunchAttributeID attribute,
                                 hipLaunchAttributeValue* value) {
  if (value == nullptr) return Report(hipErrorInvalidValue);
  const uint64_t id = IdOfStream(stream);
  if (id == 0) return Report(hipErrorInvalidResourceHandle);
  if (!IsOfStreams(attribute)) return Refuse(attribute);
  if (attribute == hipLaunchAttributePriority)
    return hipStreamGetPriority(stream, &value->priority);
  std::lock_guard lock(TheAttributes().mutex);
  const auto set = TheAttributes().values.find({id, attribute});
  *value = set != TheAttributes().values.end() ? set->second : DefaultOf(attribute);
  return Report(hipSuccess);
}

hipError_t hipStreamCopyAttributes(hipStream_t to, hipStream_t from) {
  for (const hipLaunchAttributeID attribute :
       {hipLaunchAttributeAccessPolicyWindow, hipLaunchAttributeSynchronizationPolicy,
        hipLaunchAttributePriority, hipLaunchAttributeMemSyncDomainMap,
        hipLaunchAttributeMemSyncDomain}) {
    hipLaunchAttributeValue value;
    if (hipError_t error = hipStreamGetAttribute(from, attribute, &value); error != hipSuccess)
      return error;
    if (hipError_t error = hipStreamSetAttribute(to, attribute, &value); error != hipSuccess)
      return error;
  }
  return Report(hipSuccess);
}

hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t words, uint32_t* mask) {
  const Device* const device = DeviceOfStream(stream);
  if (device == nullptr) return Report(hipErrorInvalidHandle);
  const auto units = static_cast<uint32_t>(device->properties.multiProcessorCount);
  if (mask == nullptr || uint64_t{words} * 32 < units) {
    return Report(
        hipErrorInvalidValue,
        absl::StrFormat("a mask of %u words is asked for; the device has %u compute units", words,
                        units));
  }
  const std::vector<uint32_t> set = MaskOfStream(stream);
  for (uint32_t word = 0; word < words; ++word) {
    const uint32_t first = word * 32;
    const uint32_t there = first >= units        ? 0
                           : units - first >= 32 ? ~0u
                                                 : (1u << (units - first)) - 1;
    mask[word] = set.empty() ? there : word < set.size() ? there & set[word] : 0;
  }
  return Report(hipSuccess);
}

}  // extern "C"
