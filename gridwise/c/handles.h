// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ck/descriptor/descriptor.h"
#include "core/arch/device_facts.h"
#include "gridwise/c/conversions.h"
#include "gridwise/c/gridwise.h"
#include "gridwise/c/gridwise_views.h"
#include "gridwise/conv.h"
#include "gridwise/plan_cache.h"
#include "gridwise/plan_text.h"

/// What the opaque handles of the C API are, and how its functions are guarded.

struct gridwise_plan {
  explicit gridwise_plan(const gridwise::Plan& plan) : plan(plan), convolution(plan) {}
  explicit gridwise_plan(const gridwise::InstancePlan& plan) : plan(plan) {}

  const gridwise::InstancePlan plan;
  const std::optional<gridwise::Plan> convolution = {};  // if it is a plan of one
  // Texts, once somebody has asked for one.
  struct Texts {
    std::optional<std::string> line;
    std::string description;
  };
  mutable std::once_flag once = {};
  mutable Texts texts = {};

  const Texts& TextsOnce() const {
    std::call_once(once, [this] {
      if (convolution) texts.line = PrintPlan(*convolution);
      texts.description = plan.ToString();
    });
    return texts;
  }
};
struct gridwise_executable {
  gridwise::Executable executable;
};
struct gridwise_explanations {
  std::vector<gridwise::InstanceExplanation> instances;
  double ghz;  // that estimates count cycles of
};
struct gridwise_cache {
  std::unique_ptr<gridwise::PlanCache> cache;
};
struct gridwise_view {
  gridwise::ck::Descriptor descriptor;
};

namespace gridwise {

/// The body of a function of the C API, which returns an absl::Status: its status in C. No
/// exception of the C++ library, such as that of an allocation that fails, reaches the caller.
template <class Body>
gridwise_status Guarded(Body body) noexcept {
  try {
    return Report(body());
  } catch (const std::bad_alloc&) {
    return ReportLiteral(GRIDWISE_RESOURCE_EXHAUSTED, "there is no memory on the host");
  } catch (const std::exception&) {
    return ReportLiteral(GRIDWISE_UNKNOWN, "the C++ library threw an exception");
  }
}

/// Sorts explanations as gridwise_explain returns them, and makes the list.
gridwise_explanations* NewExplanations(std::vector<InstanceExplanation> instances,
                                       const DeviceFacts& device);

}  // namespace gridwise
