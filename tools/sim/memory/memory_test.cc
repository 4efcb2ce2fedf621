// SPDX-License-Identifier: MIT
#include "tools/sim/memory/memory.h"

#include <cstring>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::sim {
namespace {

using ::testing::HasSubstr;

uint64_t Address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

TEST(Memory, BoundsAreExactToTheByte) {
  Memory memory;
  const uint64_t p = Address(*memory.Allocate(1001));
  ASSERT_TRUE(memory.Find(p));
  EXPECT_EQ(memory.Find(p)->begin, p);
  EXPECT_EQ(memory.Find(p)->end, p + 1001);
  EXPECT_TRUE(memory.Find(p + 1000));
  EXPECT_FALSE(memory.Find(p + 1001));
  EXPECT_FALSE(memory.Find(p - 1));
}

TEST(Memory, WholePagesDoNotTouch) {
  Memory memory;
  const uint64_t a = Address(*memory.Allocate(4096));
  const uint64_t b = Address(*memory.Allocate(4096));
  EXPECT_FALSE(memory.Find(a + 4096));
  EXPECT_FALSE(memory.Find(b + 4096));
}

TEST(Memory, IsAlignedAsAsked) {
  Memory memory;
  constexpr uint64_t kAlignment = 2 << 20;
  for (const uint64_t bytes : {uint64_t{1}, kAlignment, kAlignment + 1}) {
    void* p = *memory.Allocate(bytes, "slab", kAlignment);
    EXPECT_EQ(Address(p) % kAlignment, 0u);
    EXPECT_EQ(memory.Find(Address(p))->size(), bytes);
    static_cast<char*>(p)[bytes - 1] = 1;
    EXPECT_TRUE(memory.Free(p).ok());
  }
}

TEST(Memory, SaysWhatIsMissingOfItsHeadAlone) {
  Memory memory;
  const uint64_t missing = *memory.Forbid(1 << 20, "the missing buffer");
  EXPECT_THAT(memory.Describe(missing + 4, 4), HasSubstr("is in the missing buffer"));
  // A wild address that happens to be there.
  EXPECT_THAT(memory.Describe(missing + (1 << 19), 4), HasSubstr("is in no allocation"));
}

TEST(Memory, IsZeroedAndWritable) {
  Memory memory;
  auto* p = static_cast<unsigned char*>(*memory.Allocate(100));
  EXPECT_EQ(p[99], 0);
  std::memset(p, 7, 100);
  EXPECT_EQ(p[99], 7);
}

TEST(Memory, CountsAgainstTheCapacity) {
  Memory memory(10000);
  void* p = *memory.Allocate(6000);
  EXPECT_EQ(memory.allocated_bytes(), 6000u);
  const auto second = memory.Allocate(6000);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(second.status().message(), HasSubstr("4000 of the device's 10000 bytes are free"));
  EXPECT_TRUE(memory.Free(p).ok());
  EXPECT_EQ(memory.allocated_bytes(), 0u);
  EXPECT_TRUE(memory.Allocate(6000).ok());
}

TEST(Memory, EmptyAllocationHoldsNothing) {
  Memory memory;
  void* p = *memory.Allocate(0);
  EXPECT_FALSE(memory.Find(Address(p)));
  EXPECT_TRUE(memory.Free(p).ok());
}

TEST(Memory, FreedMemoryIsNamedAndNotReused) {
  Memory memory;
  void* p = *memory.Allocate(4096);
  ASSERT_TRUE(memory.Free(p).ok());
  EXPECT_FALSE(memory.Find(Address(p)));
  EXPECT_NE(*memory.Allocate(4096), p);
  EXPECT_THAT(memory.Describe(Address(p) + 8),
              HasSubstr("is 8 bytes into the 4096-byte allocation at"));
  EXPECT_THAT(memory.Describe(Address(p) + 8), HasSubstr("which was freed"));
  EXPECT_TRUE(memory.WasFreed(Address(p) + 4095));
  EXPECT_FALSE(memory.WasFreed(Address(p) + 4096));
}

TEST(Memory, FreeRefusesWhatIsNotAnAllocation) {
  Memory memory;
  auto* p = static_cast<char*>(*memory.Allocate(64));
  EXPECT_THAT(memory.Free(p + 1).message(), HasSubstr("is 1 bytes into the 64-byte allocation"));
  ASSERT_TRUE(memory.Free(p).ok());
  EXPECT_THAT(memory.Free(p).message(), HasSubstr("which was freed"));
}

TEST(Memory, RegisteredMemoryIsNotOwned) {
  Memory memory;
  int host[4] = {};
  ASSERT_TRUE(memory.Register(host, sizeof(host), "image segment").ok());
  EXPECT_TRUE(memory.Find(Address(&host[3])));
  EXPECT_EQ(memory.Register(&host[1], 4, "x").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(memory.Register(host, 4, "x").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_FALSE(memory.Free(host).ok());
  EXPECT_EQ(memory.allocated_bytes(), 0u);
  EXPECT_TRUE(memory.Unregister(host).ok());
  EXPECT_FALSE(memory.Find(Address(host)));
  EXPECT_FALSE(memory.Unregister(host).ok());
}

TEST(Memory, DescribesNeighbours) {
  Memory memory;
  const uint64_t p = Address(*memory.Allocate(1000, "pinned host allocation"));
  EXPECT_THAT(memory.Describe(p + 996, 8), HasSubstr("whose end is 4 bytes on"));
  EXPECT_THAT(memory.Describe(p + 1000),
              HasSubstr("is the end of the 1000-byte pinned host allocation at"));
  EXPECT_THAT(memory.Describe(p + 1012), HasSubstr("is 12 bytes past the end of the 1000-byte"));
  EXPECT_THAT(memory.Describe(p - 4), HasSubstr("is 4 bytes before the 1000-byte"));
  EXPECT_THAT(memory.Describe(16), HasSubstr("null pointer"));
  EXPECT_THAT(Memory().Describe(uint64_t{1} << 40), HasSubstr("in no allocation"));
}

}  // namespace
}  // namespace gridwise::sim
