// SPDX-License-Identifier: MIT
#include "core/runtime/buffer.h"

#include "absl/strings/str_cat.h"
#include "core/runtime/status.h"
#include "hip/hip_runtime_api.h"

namespace gridwise {
namespace {

absl::Status CheckFits(const char* what, std::size_t bytes, int64_t capacity) {
  if (bytes <= static_cast<std::size_t>(capacity)) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat("cannot copy ", bytes, " bytes ", what,
                                            " a device buffer of ", capacity, " bytes"));
}

}  // namespace

absl::StatusOr<DeviceBuffer> DeviceBuffer::Allocate(int64_t bytes) {
  if (bytes < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("bytes is ", bytes, "; a device buffer needs at least 0"));
  }
  if (bytes == 0) return DeviceBuffer();
  void* data = nullptr;
  absl::Status status = ToStatus(hipMalloc(&data, static_cast<std::size_t>(bytes)),
                                 absl::StrCat("allocate ", bytes, " bytes of device memory"));
  if (!status.ok()) return status;
  return DeviceBuffer(data, bytes);
}

absl::StatusOr<DeviceBuffer> DeviceBuffer::CopyOf(std::span<const std::byte> data) {
  absl::StatusOr<DeviceBuffer> buffer = Allocate(static_cast<int64_t>(data.size()));
  if (!buffer.ok()) return buffer;
  if (absl::Status status = buffer->CopyFromHost(data); !status.ok()) return status;
  return buffer;
}

DeviceBuffer::~DeviceBuffer() {
  // A failure to free has no one to hear it; HIP reports a broken context at the next call as well.
  if (data_ != nullptr) static_cast<void>(hipFree(data_));
}

absl::Status DeviceBuffer::CopyFromHost(std::span<const std::byte> source) {
  if (source.empty()) return absl::OkStatus();
  if (absl::Status status = CheckFits("to", source.size(), bytes_); !status.ok()) return status;
  return ToStatus(hipMemcpy(data_, source.data(), source.size(), hipMemcpyHostToDevice),
                  absl::StrCat("copy ", source.size(), " bytes to the device"));
}

absl::Status DeviceBuffer::CopyToHost(std::span<std::byte> target) const {
  if (target.empty()) return absl::OkStatus();
  if (absl::Status status = CheckFits("from", target.size(), bytes_); !status.ok()) return status;
  return ToStatus(hipMemcpy(target.data(), data_, target.size(), hipMemcpyDeviceToHost),
                  absl::StrCat("copy ", target.size(), " bytes from the device"));
}

absl::Status DeviceBuffer::Fill(uint8_t value) {
  if (bytes_ == 0) return absl::OkStatus();
  return ToStatus(hipMemset(data_, value, static_cast<std::size_t>(bytes_)),
                  absl::StrCat("fill ", bytes_, " bytes of device memory"));
}

}  // namespace gridwise
