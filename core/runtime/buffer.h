// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gridwise {

/// Memory of the current device, freed on destruction. Move-only.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// `bytes` >= 0; no memory is allocated for 0.
  static absl::StatusOr<DeviceBuffer> Allocate(int64_t bytes);
  /// A buffer that holds a copy of `data`.
  static absl::StatusOr<DeviceBuffer> CopyOf(std::span<const std::byte> data);

  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceBuffer();

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

  /// Copies host data to the start of the buffer. Returns kOutOfRange if it does not fit. Returns
  /// when the copy is done.
  absl::Status CopyFromHost(std::span<const std::byte> source);
  /// Copies the start of the buffer to the host. Returns kOutOfRange if `target` is larger than the
  /// buffer.
  absl::Status CopyToHost(std::span<std::byte> target) const;
  /// Sets every byte to `value`, e.g. 0xff: NaN in every floating-point type.
  absl::Status Fill(uint8_t value);

 private:
  DeviceBuffer(void* data, int64_t bytes) : data_(data), bytes_(bytes) {}
  void* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace gridwise
