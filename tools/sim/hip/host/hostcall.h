// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/sim/memory/memory.h"

namespace gridwise::sim {

/// The host services that running device code may request: printf (and with it the text of failed
/// assertions), memory for malloc and new, calls of host functions.
///
/// The protocol is that of the ROCm device libraries (ockl: hostcall_impl, devmem, hostcall
/// messages) of ROCm 4 to 7. A wave takes a packet off the stack of free ones, fills it with eight
/// words for each of its lanes, pushes it to the stack of ready ones, adds 1 to the doorbell's
/// signal and interrupts the host; then it waits for the packet's ready flag to fall, reads two
/// words per lane as the answer and returns the packet. Here the interrupt itself calls Serve, so
/// the answer is there when the wave goes on.
class Hostcall {
 public:
  /// Shows the packets and the heap to kernels of `memory`, which must outlive it.
  static absl::StatusOr<std::unique_ptr<Hostcall>> Create(Memory& memory);
  ~Hostcall();
  Hostcall(const Hostcall&) = delete;
  Hostcall& operator=(const Hostcall&) = delete;

  /// The hidden arguments hidden_hostcall_buffer and hidden_heap_v1.
  uint64_t buffer() const;
  uint64_t heap() const;

  /// Answers every packet that is ready; any thread may call it. Returns null, or a sentence for
  /// Fault::what that says why a request cannot be answered and lives as long as this object.
  const char* Serve();

  /// Frees the memory that kernels have freed. Its addresses stay valid until the launch has ended,
  /// since other waves may have stored that they are.
  void EndLaunch();

 private:
  struct Shared;
  using Slot = uint64_t[8];  // what one lane passes

  explicit Hostcall(Memory& memory);
  absl::Status ServeLane(uint32_t service, Slot& slot);
  absl::Status TakeMessage(Slot& slot);
  absl::Status ServeMemory(Slot& slot);
  uint64_t Print(const std::vector<uint64_t>& message);

  Memory& memory_;
  std::mutex mutex_;
  std::unique_ptr<Shared> shared_;
  std::map<uint64_t, std::vector<uint64_t>> messages_;  // begun and not ended, by number
  uint64_t next_message_ = 0;
  std::set<uint64_t> allocated_;  // addresses that kernels may free
  std::vector<uint64_t> freed_;
  std::deque<std::string> refusals_;  // waves' faults point at them
};

}  // namespace gridwise::sim
