// SPDX-License-Identifier: MIT
#include "tools/sim/check/races.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

/// Accesses of parts of a line of 16 bytes and of all of it, which are kept apart and together.

namespace gridwise::sim {
namespace {

constexpr uint64_t kLine = 0x1000;

/// Two waves of a workgroup that have not synchronised.
class History {
 public:
  Conflict Note(int wave, uint64_t address, uint32_t bytes, bool writes, uint32_t instruction = 0) {
    const std::vector<uint32_t> nothing(2);
    const WaveClocks view = {
        1, wave, {nothing, nothing, nothing, nothing, nothing}, /*others=*/nullptr};
    return history_.Note(view, address, bytes,
                         {.group = 1,
                          .wave = static_cast<uint16_t>(wave),
                          .writes = writes,
                          .clock = ++clock_,
                          .instruction = instruction},
                         /*lds=*/false);
  }

 private:
  AccessHistory history_;
  uint32_t clock_ = 0;
};

TEST(AccessHistory, FindsAPartOfALineThatWasWrittenAsAWhole) {
  for (const uint32_t bytes : {1u, 2u, 4u, 8u}) {
    for (uint64_t at = kLine; at < kLine + 16; at += bytes) {
      History history;
      EXPECT_FALSE(history.Note(0, kLine, 16, true).found);
      EXPECT_TRUE(history.Note(1, at, bytes, false).found) << bytes << " at " << at - kLine;
    }
  }
}

TEST(AccessHistory, FindsAWholeLineOfWhichAPartWasWritten) {
  for (const uint32_t bytes : {1u, 2u, 4u, 8u}) {
    for (uint64_t at = kLine; at < kLine + 16; at += bytes) {
      History history;
      EXPECT_FALSE(history.Note(0, at, bytes, true).found);
      EXPECT_TRUE(history.Note(1, kLine, 16, false).found) << bytes << " at " << at - kLine;
    }
  }
}

TEST(AccessHistory, FindsTheBytesOfLinesThatAnAccessLiesAcross) {
  for (const uint64_t at : {kLine + 7, kLine + 8, kLine + 15, kLine + 16, kLine + 23, kLine + 24}) {
    History history;
    EXPECT_FALSE(history.Note(0, kLine + 8, 16, true).found);
    EXPECT_EQ(history.Note(1, at, 1, false).found, at >= kLine + 8 && at < kLine + 24)
        << at - kLine;
  }
}

TEST(AccessHistory, KnowsWhichInstructionWroteWhichPartOfALine) {
  History history;
  EXPECT_FALSE(history.Note(0, kLine, 16, true, /*instruction=*/5).found);
  EXPECT_FALSE(history.Note(0, kLine + 4, 4, true, /*instruction=*/6).found);
  const Conflict other = history.Note(1, kLine + 8, 4, false);
  EXPECT_TRUE(other.found);
  EXPECT_EQ(other.instruction, 5u);
  const Conflict own = history.Note(1, kLine + 4, 4, false);
  EXPECT_TRUE(own.found);
  EXPECT_EQ(own.instruction, 6u);
}

TEST(AccessHistory, FindsNothingBetweenReads) {
  History history;
  EXPECT_FALSE(history.Note(0, kLine, 16, false).found);
  EXPECT_FALSE(history.Note(1, kLine, 16, false).found);
  EXPECT_FALSE(history.Note(1, kLine + 2, 2, false).found);
  EXPECT_TRUE(history.Note(0, kLine + 2, 1, true).found);
}

}  // namespace
}  // namespace gridwise::sim
