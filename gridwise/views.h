#pragma once

#include "absl/status/statusor.h"
#include "ck/lowering/conv.h"  // IWYU pragma: export
#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "gridwise/executable.h"  // IWYU pragma: export
#include "gridwise/plan.h"        // IWYU pragma: export

namespace gridwise {

/// Plans the multiplication of views of a user's own: whatever descriptors can say
/// (ck/descriptor/descriptor.h), of which a convolution is one example and a contraction another.
///
///   C[b][m][n] = sum over k of A[b][m][k] * B[b][n][k]
///
/// Operands are of `type`, C of `out_type`. It is one launch of the kernel of the classic family
/// that takes least time by estimate; it has no workspace, and Executable (executable.h) loads it.
/// Errors: a composition that makes no sense, sizes that do not match, or views that no kernel
/// takes: more than one distance between matrices, more than 4 uneven digits of an axis, C with
/// padding, a matrix of 2 GiB, or more than 65535 matrices.
absl::StatusOr<InstancePlan> PlanViews(const ck::GemmDescriptors& gemm, DataType type,
                                       DataType out_type, const DeviceFacts& device);

}  // namespace gridwise
