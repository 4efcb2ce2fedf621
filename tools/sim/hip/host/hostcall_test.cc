// SPDX-License-Identifier: MIT
#include "tools/sim/hip/host/hostcall.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/memory/memory.h"

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

using Words = std::array<uint64_t, 8>;

constexpr uint32_t kCallFunction = 1, kPrintf = 2, kDeviceMemory = 3;

/// What the device library does, by offsets instead of types.
class HostcallTest : public ::testing::Test {
 protected:
  struct Header {
    uint64_t next, lanes;
    uint32_t service, control;
  };

  uint64_t& BufferWord(int index) {
    return reinterpret_cast<uint64_t*>(hostcall_->buffer())[index];
  }
  uint64_t& free_stack() { return BufferWord(3); }
  uint64_t& ready_stack() { return BufferWord(4); }
  uint64_t mask() { return BufferWord(5); }
  Header& HeaderOf(uint64_t packet) {
    return reinterpret_cast<Header*>(BufferWord(0))[packet & mask()];
  }
  uint64_t* SlotOf(uint64_t packet, int lane) {
    return reinterpret_cast<uint64_t*>(BufferWord(1)) +
           ((packet & mask()) * 64 + static_cast<uint64_t>(lane)) * 8;
  }

  uint64_t Pop() {
    const uint64_t packet = free_stack();
    free_stack() = HeaderOf(packet).next;
    return packet;
  }
  void Push(uint64_t packet) {
    packet += mask() + 1;  // another tag
    HeaderOf(packet).next = free_stack();
    free_stack() = packet;
  }

  /// Asks for `lane`, and returns its answer. Keeps what is refused in refusal_.
  Words Ask(uint32_t service, const Words& words, int lane = 0) {
    const uint64_t packet = Pop();
    Header& header = HeaderOf(packet);
    header = {ready_stack(), uint64_t{1} << lane, service, 1};
    std::memcpy(SlotOf(packet, lane), words.data(), sizeof(words));
    ready_stack() = packet;
    const char* refusal = hostcall_->Serve();
    refusal_ = refusal == nullptr ? "" : refusal;
    EXPECT_EQ(header.control, refusal == nullptr ? 0u : 1u);
    Words answer;
    std::memcpy(answer.data(), SlotOf(packet, lane), sizeof(answer));
    Push(packet);
    return answer;
  }

  Memory memory_;
  std::unique_ptr<Hostcall> hostcall_ = *Hostcall::Create(memory_);
  std::string refusal_;
};

/// Descriptors of messages' packets: bit 0 begins, bit 1 ends, bits 5 to 7 the number of words.
constexpr uint64_t Descriptor(bool begins, bool ends, uint64_t words) {
  return (begins ? 1 : 0) | (ends ? 2 : 0) | words << 5;
}

uint64_t Text(std::string_view text) {
  uint64_t word = 0;
  std::memcpy(&word, text.data(), text.size());
  return word;
}

TEST_F(HostcallTest, KernelsMayTouchWhatItShows) {
  EXPECT_TRUE(memory_.Find(hostcall_->buffer()));
  EXPECT_TRUE(memory_.Find(hostcall_->heap()));
  EXPECT_TRUE(memory_.Find(hostcall_->heap() + (128 << 10) - 1));
  EXPECT_TRUE(memory_.Find(BufferWord(0)));
  EXPECT_TRUE(memory_.Find(BufferWord(1) + (mask() + 1) * 64 * 64 - 1));
  const auto* doorbell = reinterpret_cast<const uint64_t*>(BufferWord(2));
  EXPECT_TRUE(memory_.Find(BufferWord(2)));
  EXPECT_TRUE(memory_.Find(doorbell[2])) << "a mailbox, else it would not be interrupted";
}

TEST_F(HostcallTest, PacketsAreDifferentAndComeBack) {
  std::set<uint64_t> packets;
  for (uint64_t packet; (packet = free_stack()) != 0;) packets.insert(Pop() & mask());
  EXPECT_EQ(packets.size(), mask() + 1);
  hostcall_ = *Hostcall::Create(memory_);
  for (uint64_t i = 0; i < 2 * mask(); ++i) Ask(kPrintf, {Descriptor(true, true, 0)});
  EXPECT_EQ(refusal_, "");
}

TEST_F(HostcallTest, MessagesComeInPackets) {
  testing::internal::CaptureStdout();
  // Two lanes' messages at once: standard output, the format "%d-%d\n", its arguments.
  const uint64_t first = Ask(kPrintf, {Descriptor(true, false, 1), 0}, 3)[0];
  const uint64_t second = Ask(kPrintf, {Descriptor(true, false, 1), 0}, 60)[0];
  EXPECT_NE(first, second);
  const auto more = [](uint64_t descriptor, bool ends, uint64_t words) {
    return (descriptor & ~uint64_t{0xff}) | Descriptor(false, ends, words);
  };
  Ask(kPrintf, {more(second, false, 2), Text("%d-%d\n"), 5}, 60);
  Ask(kPrintf, {more(first, false, 1), Text("%d-%d\n")}, 3);
  EXPECT_EQ(Ask(kPrintf, {more(first, true, 2), 1, 20}, 3)[0], 5u);
  EXPECT_EQ(Ask(kPrintf, {more(second, true, 1), 600}, 60)[0], 6u);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1-20\n5-600\n");
  Ask(kPrintf, {more(first, true, 0)}, 3);
  EXPECT_THAT(refusal_, HasSubstr("printf message 0, which has not begun"));
}

TEST_F(HostcallTest, PrintsToStandardErrorToo) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Ask(kPrintf, {Descriptor(true, true, 2), 1, Text("oh\n")})[0], 3u);
  EXPECT_EQ(Ask(kPrintf, {Descriptor(true, true, 2), 1, Text("%d")})[0], ~uint64_t{0});
  EXPECT_EQ(Ask(kPrintf, {Descriptor(true, true, 2), 2, Text("where")})[0], ~uint64_t{0});
  EXPECT_EQ(refusal_, "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "oh\ngridwise sim: a kernel's printf fails: format '%d': there is no argument for a "
            "conversion to 'd'\n");
}

TEST_F(HostcallTest, MemoryStaysUntilTheLaunchEnds) {
  const uint64_t block = Ask(kDeviceMemory, {0, 5000})[0];
  const uint64_t slab = Ask(kDeviceMemory, {0, 2 << 20})[0];
  ASSERT_TRUE(memory_.Find(block));
  EXPECT_EQ(memory_.Find(block)->size(), 5000u);
  EXPECT_EQ(slab % (2 << 20), 0u);
  Ask(kDeviceMemory, {block, 0});
  EXPECT_EQ(refusal_, "");
  EXPECT_TRUE(memory_.Find(block));
  hostcall_->EndLaunch();
  EXPECT_FALSE(memory_.Find(block));
  EXPECT_TRUE(memory_.Find(slab));
  EXPECT_EQ(Ask(kDeviceMemory, {0, memory_.capacity()})[0], 0u) << "more than there is";
  EXPECT_EQ(refusal_, "");
  Ask(kDeviceMemory, {block, 0});
  EXPECT_THAT(refusal_, HasSubstr("which is not what malloc gave to a kernel, or is freed"));
}

TEST_F(HostcallTest, CallsFunctionsOfTheHost) {
  const auto function = +[](uint64_t* output, const uint64_t* input) {
    output[0] = input[0] + input[6];
    output[1] = 9;
  };
  const Words answer =
      Ask(kCallFunction, {reinterpret_cast<uint64_t>(function), 30, 0, 0, 0, 0, 0, 12}, 63);
  EXPECT_EQ(answer[0], 42u);
  EXPECT_EQ(answer[1], 9u);
}

TEST_F(HostcallTest, RefusesOtherServices) {
  Ask(4, {});
  EXPECT_EQ(refusal_,
            "asks the host for service 4, which is none of host calls (1), printf (2) and memory "
            "(3)");
}

TEST_F(HostcallTest, RefusalsOfSeveralWavesStay) {
  // Each wave's sentence is read when its worker reports the fault; others may be refused before.
  const auto refuse = [this](uint32_t service) {
    HeaderOf(0) = {0, 1, service, 1};
    ready_stack() = mask() + 1;  // packet 0, with a tag
    return hostcall_->Serve();
  };
  const char* const first = refuse(4);
  const char* const second = refuse(5);
  EXPECT_THAT(first, HasSubstr("for service 4"));
  EXPECT_THAT(second, HasSubstr("for service 5"));
}

}  // namespace
}  // namespace gridwise::sim
