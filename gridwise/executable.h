#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gridwise/plan.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {

/// Tensors in device memory. Forward: a = x, b = w, out = y. Backward-data: a = dy, b = w, out =
/// dx. Backward-weight: a = dy, b = x, out = dw. Matrix multiplication: a = A, b = B, out = C. d0
/// and d1: those of the epilogue. a1 and b1: those that operands are sums with.
///
/// Each begins at a multiple of its elements' size. Kernels access up to 16 bytes at a time at any
/// such address, which buffer and global instructions allow in the unaligned mode that AMD's driver
/// sets (SH_MEM_CONFIG.alignment_mode); whole multiples of 16 bytes of channels are accessed
/// aligned where the tensor is. `out` and the workspace overlap no other tensor; the others may
/// overlap each other.
struct Tensors {
  const void* a = nullptr;
  const void* b = nullptr;
  void* out = nullptr;
  const void* d0 = nullptr;
  const void* d1 = nullptr;
  const void* a1 = nullptr;
  const void* b1 = nullptr;
};

/// A plan whose kernels are loaded on a device. A value, which is cheap to copy: copies share what
/// was loaded.
class Executable {
 public:
  /// Loads the plan's kernels on the calling thread's current device, which must be of the plan's
  /// target, and copies its tables there. Modules are loaded once per process and device, and stay
  /// loaded.
  static absl::StatusOr<Executable> Load(const InstancePlan& plan);

  /// Starts the computation on `stream`, of the device of Load, and returns: the work is done in
  /// the stream's order. Every element of `out` is written; nothing else is. `workspace` is device
  /// memory of at least plan.workspace_bytes(), 256-byte aligned as allocations are, that nothing
  /// else uses until the work is done; null when that is 0.
  ///
  /// It copies nothing from the host and allocates nothing, so that a stream may be captured in a
  /// graph. The executable must live until the work, or the graph's last, is done: kernels read its
  /// tables, whose memory its destructor frees.
  absl::Status Launch(const Tensors& tensors, void* workspace, std::int64_t workspace_bytes,
                      hipStream_t stream) const;

 private:
  struct Loaded;
  explicit Executable(std::shared_ptr<const Loaded> loaded);

  std::shared_ptr<const Loaded> loaded_;
};

}  // namespace gridwise
