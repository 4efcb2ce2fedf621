// SPDX-License-Identifier: MIT
#include "tools/sim/time/engine/cache.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace gridwise::sim::time {
namespace {

constexpr double kLineBytes = 128;

/// The definition: each set is a list of lines in the order of use.
class Sets {
 public:
  Sets(size_t sets, size_t ways) : sets_(sets), ways_(ways) {}

  /// When the line is there, or a negative number. It becomes the newest.
  double Use(uint64_t number) {
    std::list<Entry>& set = sets_[number % sets_.size()];
    const auto found = std::find_if(set.begin(), set.end(),
                                    [&](const Entry& entry) { return entry.number == number; });
    if (found == set.end()) return -1;
    set.splice(set.begin(), set, found);
    return found->ready;
  }
  void Add(uint64_t number, double ready) {
    std::list<Entry>& set = sets_[number % sets_.size()];
    set.push_front({number, ready});
    if (set.size() > ways_) set.pop_back();
  }

 private:
  struct Entry {
    uint64_t number;
    double ready;
  };
  std::vector<std::list<Entry>> sets_;
  size_t ways_;
};

/// Lines near each other, at the pitch of a row, and anywhere.
uint64_t Number(std::mt19937_64& random) {
  switch (random() % 3) {
    case 0:
      return 1000 + random() % 64;
    case 1:
      return 4096 * (random() % 64);
    default:
      return random();
  }
}

void ExpectDefinition(size_t sets, size_t ways) {
  Cache cache(static_cast<double>(sets * ways) * kLineBytes, kLineBytes, static_cast<double>(ways));
  Sets expected(sets, ways);
  std::mt19937_64 random(sets * 100 + ways);
  int hits = 0, misses = 0;
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t number = Number(random);
    const double ready = expected.Use(number);
    const Cache::Line* const line = cache.Find(number);
    ASSERT_EQ(line != nullptr, ready >= 0) << "line " << number << " in step " << i;
    if (line != nullptr) {
      ASSERT_EQ(line->ready, ready);
      ++hits;
      continue;
    }
    ++misses;
    cache.Insert(number, i);
    expected.Add(number, i);
  }
  EXPECT_GT(hits, 1000);
  EXPECT_GT(misses, 1000);
}

TEST(CacheTest, TheLeastRecentlyUsedLineOfASetGoes) {
  ExpectDefinition(1, 16);
  ExpectDefinition(4, 64);
  ExpectDefinition(38, 8);  // an XCD's part of L2 need not be a power of two
}

/// The part of `count` lines, each `stride` lines after the last one, that an L2 of 4 MiB has
/// when they come a second time.
double KeptOfRows(uint64_t stride, int count, SetsBy sets_by) {
  Cache cache(4 << 20, kLineBytes, 16, sets_by);
  int kept = 0;
  for (const bool again : {false, true}) {
    for (int row = 0; row < count; ++row) {
      const uint64_t number = 1'000'000 + stride * static_cast<uint64_t>(row);
      const bool there = cache.Find(number) != nullptr;
      if (!there) cache.Insert(number, 0);
      kept += again && there;
    }
  }
  return static_cast<double>(kept) / count;
}

TEST(CacheTest, RowsThatArePowersOfTwoApartCrowdUnlessSetsAreAnXor) {
  constexpr uint64_t kRow = 4096 / 128;  // lines
  // 64 of the 2048 sets are at the pitch of a row, with room for 1024 lines.
  EXPECT_EQ(KeptOfRows(kRow, 1000, SetsBy::kLowBits), 1);
  EXPECT_EQ(KeptOfRows(kRow, 4096, SetsBy::kLowBits), 0);
  EXPECT_EQ(KeptOfRows(kRow, 4096, SetsBy::kXor), 1);
  // No way to find sets makes room for more lines than there are.
  EXPECT_EQ(KeptOfRows(1, 32'768, SetsBy::kLowBits), 1);
  EXPECT_EQ(KeptOfRows(1, 32'768, SetsBy::kXor), 1);
  EXPECT_EQ(KeptOfRows(1, 65'536, SetsBy::kXor), 0);
}

TEST(CacheTest, WithoutRoomThereIsOneSet) {
  Cache cache(0, kLineBytes, 2);
  for (const uint64_t number : {1, 2, 3}) {
    EXPECT_EQ(cache.Find(number), nullptr);
    cache.Insert(number, 0);
  }
  EXPECT_EQ(cache.Find(1), nullptr);
  EXPECT_NE(cache.Find(2), nullptr);
  EXPECT_NE(cache.Find(3), nullptr);
}

}  // namespace
}  // namespace gridwise::sim::time
