// SPDX-License-Identifier: MIT
#include "tools/sim/hip/host/hostcall.h"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_format.h"
#include "tools/sim/check/device_bytes.h"
#include "tools/sim/check/races.h"
#include "tools/sim/hip/host/device_printf.h"

namespace gridwise::sim {
namespace {

/// More than any target has waves at a time, because a wave that finds no free packet would take
/// one that is not there. Packet 0 alone has a tag in the initial stack: 0 is the stack's end.
constexpr uint64_t kPackets = 1 << 14;

/// Services (ROCm clr, devhcmessages.hpp).
constexpr uint32_t kCallFunction = 1;
constexpr uint32_t kPrintf = 2;
constexpr uint32_t kDeviceMemory = 3;

/// The bytes that malloc requests to cut small blocks out of: a slab, whose address is that of a
/// block, rounded down.
constexpr uint64_t kSlabBytes = 2 << 20;

/// heap_t of the device libraries (ockl, dm.cl) has about 109 KiB, and begins as zeros.
constexpr size_t kHeapBytes = 128 << 10;

/// Fields of a message's first word.
constexpr uint64_t kBegins = 1, kEnds = 2;
constexpr int kLengthShift = 5, kNumberShift = 8;

struct PacketHeader {
  uint64_t next;  // in its stack: a packet's index, and a tag above
  uint64_t active_lanes;
  uint32_t service;
  std::atomic<uint32_t> control;  // bit 0: the wave waits
};

struct HostcallBuffer {
  PacketHeader* headers;
  void* payloads;
  void* doorbell;
  uint64_t free_stack;
  std::atomic<uint64_t> ready_stack;
  uint64_t index_mask;
};

/// amd_signal_t (ROCR, amd_hsa_signal.h). With a mailbox, adding to it interrupts the host.
struct Signal {
  int64_t kind;
  int64_t value;
  void* mailbox;
  uint32_t event;
  uint32_t reserved[9];
};
static_assert(sizeof(Signal) == 64);

}  // namespace

/// The memory that kernels see. Packets that are never used cost nothing.
struct Hostcall::Shared {
  HostcallBuffer buffer;
  Signal doorbell;
  uint64_t mailbox;
  alignas(64) std::byte heap[kHeapBytes];
  PacketHeader headers[kPackets];
  alignas(64) Slot payloads[kPackets][64];
};

Hostcall::Hostcall(Memory& memory)
    : memory_(memory), shared_(std::make_unique_for_overwrite<Shared>()) {
  std::memset(shared_->heap, 0, sizeof(shared_->heap));
  shared_->mailbox = 0;
  shared_->doorbell = {
      .kind = 1, .value = 0, .mailbox = &shared_->mailbox, .event = 1, .reserved = {}};
  for (uint64_t i = 0; i < kPackets; ++i) {
    PacketHeader& header = shared_->headers[i];
    header.next = i == 1 ? kPackets : i == 0 ? 0 : i - 1;
    header.control.store(0, std::memory_order_relaxed);
  }
  shared_->buffer.headers = shared_->headers;
  shared_->buffer.payloads = shared_->payloads;
  shared_->buffer.doorbell = &shared_->doorbell;
  shared_->buffer.free_stack = kPackets - 1;
  shared_->buffer.ready_stack.store(0, std::memory_order_relaxed);
  shared_->buffer.index_mask = kPackets - 1;
}

absl::StatusOr<std::unique_ptr<Hostcall>> Hostcall::Create(Memory& memory) {
  std::unique_ptr<Hostcall> hostcall(new Hostcall(memory));
  absl::Status shown = memory.Register(hostcall->shared_.get(), sizeof(Shared), "hostcall buffer");
  if (!shown.ok()) return shown;
  return hostcall;
}

Hostcall::~Hostcall() { memory_.Unregister(shared_.get()).IgnoreError(); }

uint64_t Hostcall::buffer() const { return reinterpret_cast<uint64_t>(&shared_->buffer); }
uint64_t Hostcall::heap() const { return reinterpret_cast<uint64_t>(shared_->heap); }

const char* Hostcall::Serve() {
  std::lock_guard lock(mutex_);
  // A wave has one packet at a time, so their order is nobody's.
  uint64_t next = shared_->buffer.ready_stack.exchange(0, std::memory_order_acquire);
  while (next != 0) {
    const uint64_t packet = next & (kPackets - 1);
    PacketHeader& header = shared_->headers[packet];
    next = header.next;
    for (uint64_t lanes = header.active_lanes; lanes != 0; lanes &= lanes - 1) {
      const absl::Status served =
          ServeLane(header.service, shared_->payloads[packet][std::countr_zero(lanes)]);
      if (!served.ok()) return refusals_.emplace_back(served.message()).c_str();
    }
    header.control.fetch_and(~1u, std::memory_order_release);
  }
  return nullptr;
}

absl::Status Hostcall::ServeLane(uint32_t service, Slot& slot) {
  switch (service) {
    case kCallFunction: {
      using Function = void (*)(uint64_t* output, const uint64_t* input);
      uint64_t output[2] = {};
      reinterpret_cast<Function>(slot[0])(output, slot + 1);
      std::memcpy(slot, output, sizeof(output));
      return absl::OkStatus();
    }
    case kPrintf:
      return TakeMessage(slot);
    case kDeviceMemory:
      return ServeMemory(slot);
    default:
      return absl::UnimplementedError(absl::StrFormat(
          "asks the host for service %u, which is none of host calls (1), printf (2) and memory "
          "(3)",
          service));
  }
}

/// A message comes in packets: the first word says whether it begins or ends with this one, how
/// many words follow, and, but in the first, the message's number, which is the answer to it.
absl::Status Hostcall::TakeMessage(Slot& slot) {
  const uint64_t descriptor = slot[0];
  uint64_t number = descriptor >> kNumberShift;
  if ((descriptor & kBegins) != 0) {
    number = next_message_++;
    messages_[number];
    slot[0] = (descriptor & ((1 << kNumberShift) - 1) & ~kBegins) | number << kNumberShift;
  }
  const auto message = messages_.find(number);
  if (message == messages_.end()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("goes on with printf message %u, which has not begun", number));
  }
  const uint64_t words = descriptor >> kLengthShift & 7;
  message->second.insert(message->second.end(), slot + 1, slot + 1 + words);
  if ((descriptor & kEnds) != 0) {
    slot[0] = Print(message->second);
    messages_.erase(message);
  }
  return absl::OkStatus();
}

/// Returns what printf does: the number of characters, -1 if it fails. The first word says where
/// to print.
uint64_t Hostcall::Print(const std::vector<uint64_t>& message) {
  if (message.empty() || message[0] > 1) return ~uint64_t{0};
  const absl::StatusOr<std::string> text = FormatDevicePrintf(std::span(message).subspan(1));
  if (!text.ok()) {
    const std::string why(text.status().message());
    std::fprintf(stderr, "gridwise sim: a kernel's printf fails: %s\n", why.c_str());
    return ~uint64_t{0};
  }
  const size_t written =
      std::fwrite(text->data(), 1, text->size(), message[0] == 1 ? stderr : stdout);
  return written == text->size() ? written : ~uint64_t{0};
}

/// {0, bytes} allocates, {address, 0} frees; the answer is the address, 0 if there is no memory.
absl::Status Hostcall::ServeMemory(Slot& slot) {
  if (slot[0] != 0) {
    if (allocated_.erase(slot[0]) == 0) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "frees %#x, which is not what malloc gave to a kernel, or is freed already", slot[0]));
    }
    freed_.push_back(slot[0]);
    return absl::OkStatus();
  }
  const uint64_t bytes = slot[1];
  const absl::StatusOr<void*> memory = memory_.Allocate(
      bytes, "device-side allocation", bytes == kSlabBytes ? kSlabBytes : Memory::kPage);
  if (!memory.ok()) return absl::OkStatus();
  slot[0] = reinterpret_cast<uint64_t>(*memory);
  allocated_.insert(slot[0]);
  DeviceBytes::Process().Allocated(slot[0], bytes);
  if (bytes == kSlabBytes) RecycledMemory::Process().Add(slot[0], bytes);
  return absl::OkStatus();
}

void Hostcall::EndLaunch() {
  std::lock_guard lock(mutex_);
  for (const uint64_t address : freed_) {
    DeviceBytes::Process().Freed(address);
    RecycledMemory::Process().Remove(address);
    memory_.Free(reinterpret_cast<void*>(address)).IgnoreError();  // Allocate gave it
  }
  freed_.clear();
}

}  // namespace gridwise::sim
