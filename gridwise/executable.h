// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gridwise/plan.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {

/// Addresses of tensors in device memory.
///
///   forward                a = x,  b = w, out = y
///   backward-data          a = dy, b = w, out = dx
///   backward-weight        a = dy, b = x, out = dw
///   matrix multiplication  a = A,  b = B, out = C
///
/// d0 and d1 are the tensors of the epilogue. a1 and b1 are added to the operands a and b. Those
/// that the problem does not have may be null.
///
/// Alignment: each tensor begins at a multiple of its element size. Kernels access up to 16 bytes
/// at any such address. On AMD GPUs, buffer and global instructions allow this in the unaligned
/// mode that the driver sets (SH_MEM_CONFIG.alignment_mode). If the channels are a multiple of 16
/// bytes and the tensor is 16-byte aligned, the accesses are aligned too.
///
/// Aliasing: `out` and the workspace must overlap no other tensor. The other tensors may overlap
/// each other.
struct Tensors {
  const void* a = nullptr;
  const void* b = nullptr;
  void* out = nullptr;
  const void* d0 = nullptr;
  const void* d1 = nullptr;
  const void* a1 = nullptr;
  const void* b1 = nullptr;
};

/// A plan whose kernels are loaded on a device. A value that is cheap to copy: copies share the
/// loaded kernels.
class Executable {
 public:
  /// Loads the plan's kernels on the calling thread's current device and copies the plan's tables
  /// there. Modules are loaded once per process and device, and stay loaded.
  ///
  /// Errors: kFailedPrecondition if the current device is not of the plan's target, or if the
  /// program was built without kernels for that target; and the errors of the HIP library.
  static absl::StatusOr<Executable> Load(const InstancePlan& plan);

  /// Starts the computation on `stream` and returns. `stream` belongs to the device of Load; null
  /// is the default stream. The work is done in the stream's order. It writes every element of
  /// `out`, and nothing else but the workspace.
  ///
  /// `workspace` is device memory of at least plan.workspace_bytes() bytes, 256-byte aligned as
  /// allocations are. Nothing else may use it until the work is done. If plan.workspace_bytes() is
  /// 0, it may be null.
  ///
  /// Launch copies nothing from the host and allocates nothing, so a graph can capture the stream.
  /// The executable must live until the work, or the last launch of the graph, is done: kernels
  /// read its tables, which its destructor frees.
  ///
  /// Errors: kInvalidArgument if a tensor that the plan uses is null or if the workspace is too
  /// small; and the errors of the HIP library. Overlap and alignment are not checked.
  absl::Status Launch(const Tensors& tensors, void* workspace, std::int64_t workspace_bytes,
                      hipStream_t stream) const;

 private:
  struct Loaded;
  explicit Executable(std::shared_ptr<const Loaded> loaded);

  std::shared_ptr<const Loaded> loaded_;
};

}  // namespace gridwise
