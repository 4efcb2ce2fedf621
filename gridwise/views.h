// SPDX-License-Identifier: MIT
#pragma once

#include "absl/status/statusor.h"
#include "ck/lowering/conv.h"  // IWYU pragma: export
#include "core/arch/device_facts.h"
#include "core/base/types.h"
#include "gridwise/executable.h"  // IWYU pragma: export
#include "gridwise/plan.h"        // IWYU pragma: export

namespace gridwise {

/// Plans the multiplication of user-defined views:
///
///   C[b][m][n] = sum over k of A[b][m][k] * B[b][n][k]
///
/// Descriptors (ck/descriptor/descriptor.h) define the views. A convolution is one example, a
/// contraction another. The operands have `type`, and C has `out_type`.
///
/// Returns a plan of one launch: the kernel of the ck family with the least estimated time. It
/// needs no workspace. Executable (executable.h) loads it.
///
/// Returns an error if a composition makes no sense, if sizes do not match, or if no kernel accepts
/// the views. No kernel accepts:
///   - more than one distance between matrices
///   - more than 4 uneven digits of an axis
///   - C with padding
///   - a matrix of 2 GiB
///   - more than 65535 matrices
absl::StatusOr<InstancePlan> PlanViews(const ck::GemmDescriptors& gemm, DataType type,
                                       DataType out_type, const DeviceFacts& device);

}  // namespace gridwise
