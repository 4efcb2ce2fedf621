// SPDX-License-Identifier: MIT
#include "gridwise/views.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "ck/descriptor/describe.h"
#include "ck/descriptor/descriptor.h"
#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "gridwise/c/conversions.h"
#include "gridwise/c/gridwise_views.h"
#include "gridwise/c/handles.h"

namespace {

using gridwise::CheckGiven;
using gridwise::Guarded;
using gridwise::ck::Axis;
using gridwise::ck::Descriptor;
using gridwise::ck::Term;
using gridwise::ck::Transform;

/// Calls transform(descriptor) to compose the view. Returns the view's mistake, if it has one.
template <class Apply>
gridwise_status Compose(gridwise_view* view, gridwise::Given result, Apply transform) {
  return Guarded([&]() -> absl::Status {
    absl::Status status = CheckGiven({{"view", view}, result});
    if (!status.ok()) return status;
    Descriptor& descriptor = view->descriptor;
    status = transform(descriptor);
    if (!status.ok() || descriptor.ok()) return status;
    return absl::InvalidArgumentError(ToString(descriptor.mistake()));
  });
}

/// The same for a transform that returns an axis.
template <class Apply>
gridwise_status ComposeAxis(gridwise_view* view, int32_t* axis, const char* name, Apply transform) {
  return Compose(view, {name, axis}, [&](Descriptor& descriptor) {
    const Axis made = transform(descriptor);
    if (descriptor.ok()) *axis = made.id;
    return absl::OkStatus();
  });
}

/// Calls transform(std::make_index_sequence<count>()): Descriptor's functions take the number of
/// axes at compile time.
template <std::size_t kMax = Transform::kMaxFan, class Apply>
absl::Status WithCount(int count, Apply transform) {
  if (count == static_cast<int>(kMax)) {
    transform(std::make_index_sequence<kMax>());
    return absl::OkStatus();
  }
  if constexpr (kMax > 1) {
    return WithCount<kMax - 1>(count, transform);
  } else {
    return absl::InvalidArgumentError(
        absl::StrFormat("count is %d; must be 1 to %d", count, Transform::kMaxFan));
  }
}

template <std::size_t kCount>
void WriteAxes(const Descriptor& descriptor, const std::array<Axis, kCount>& made, int32_t* axes) {
  if (!descriptor.ok()) return;
  for (const Axis axis : made) *axes++ = axis.id;
}

}  // namespace

extern "C" {

gridwise_status gridwise_make_view(gridwise_view** view) {
  return Guarded([&]() -> absl::Status {
    if (absl::Status status = CheckGiven({{"view", view}}); !status.ok()) return status;
    *view = new gridwise_view;
    return absl::OkStatus();
  });
}

void gridwise_free_view(gridwise_view* view) { delete view; }

gridwise_status gridwise_view_memory(gridwise_view* view, int64_t length, int64_t stride,
                                     int32_t* axis) {
  return ComposeAxis(view, axis, "axis",
                     [&](Descriptor& descriptor) { return descriptor.Memory(length, stride); });
}

gridwise_status gridwise_view_pad(gridwise_view* view, int32_t axis, int64_t begin, int64_t end,
                                  int32_t* padded) {
  return ComposeAxis(view, padded, "padded",
                     [&](Descriptor& descriptor) { return descriptor.Pad({axis}, begin, end); });
}

gridwise_status gridwise_view_slice(gridwise_view* view, int32_t axis, int64_t begin,
                                    int64_t length, int64_t step, int32_t* sliced) {
  return ComposeAxis(view, sliced, "sliced", [&](Descriptor& descriptor) {
    return descriptor.Slice({axis}, begin, length, step);
  });
}

gridwise_status gridwise_view_embed(gridwise_view* view, int32_t axis, const gridwise_term* terms,
                                    int count, int32_t* axes) {
  return Compose(view, {"axes", axes}, [&](Descriptor& descriptor) {
    if (absl::Status status = CheckGiven({{"terms", terms}}); !status.ok()) return status;
    return WithCount(count, [&]<std::size_t... kI>(std::index_sequence<kI...>) {
      WriteAxes(descriptor, descriptor.Embed({axis}, {Term{terms[kI].length, terms[kI].step}...}),
                axes);
    });
  });
}

gridwise_status gridwise_view_merge(gridwise_view* view, const int32_t* axes, int count,
                                    int32_t* merged) {
  return Compose(view, {"merged", merged}, [&](Descriptor& descriptor) {
    if (absl::Status status = CheckGiven({{"axes", axes}}); !status.ok()) return status;
    return WithCount(count, [&]<std::size_t... kI>(std::index_sequence<kI...>) {
      const Axis made = descriptor.Merge({Axis{axes[kI]}...});
      if (descriptor.ok()) *merged = made.id;
    });
  });
}

gridwise_status gridwise_view_unmerge(gridwise_view* view, int32_t axis, const int64_t* lengths,
                                      int count, int32_t* axes) {
  return Compose(view, {"axes", axes}, [&](Descriptor& descriptor) {
    if (absl::Status status = CheckGiven({{"lengths", lengths}}); !status.ok()) return status;
    return WithCount(count, [&]<std::size_t... kI>(std::index_sequence<kI...>) {
      WriteAxes(descriptor, descriptor.Unmerge({axis}, {lengths[kI]...}), axes);
    });
  });
}

gridwise_status gridwise_view_freeze(gridwise_view* view, int32_t axis, int64_t index) {
  return Compose(view, {"view", view}, [&](Descriptor& descriptor) {
    descriptor.Freeze({axis}, index);
    return absl::OkStatus();
  });
}

gridwise_status gridwise_view_see(gridwise_view* view, int32_t matrices, int32_t rows,
                                  int32_t columns) {
  return Compose(view, {"view", view}, [&](Descriptor& descriptor) {
    descriptor.See({{matrices}, {rows}, {columns}});
    return absl::OkStatus();
  });
}

gridwise_status gridwise_plan_views(const gridwise_view* a, const gridwise_view* b,
                                    const gridwise_view* c, int32_t type, int32_t out_type,
                                    const char* target, gridwise_plan** plan) {
  return Guarded([&]() -> absl::Status {
    absl::Status status = CheckGiven({{"a", a}, {"b", b}, {"c", c}, {"plan", plan}});
    if (!status.ok()) return status;
    const absl::StatusOr<gridwise::DataType> operands = gridwise::ConvertType("type", type);
    if (!operands.ok()) return operands.status();
    const absl::StatusOr<gridwise::DataType> output = gridwise::ConvertType("out_type", out_type);
    if (!output.ok()) return output.status();
    const absl::StatusOr<gridwise::DeviceFacts> device = gridwise::ConvertDevice(target);
    if (!device.ok()) return device.status();
    gridwise::ck::GemmDescriptors gemm = {a->descriptor, b->descriptor, c->descriptor};
    if (gemm.a.ok() && gemm.a.seen() == 3) gemm.terms = gemm.a.length(2);
    const absl::StatusOr<gridwise::InstancePlan> made =
        gridwise::PlanViews(gemm, *operands, *output, *device);
    if (!made.ok()) return made.status();
    *plan = new gridwise_plan(*made);
    return absl::OkStatus();
  });
}

}  // extern "C"
