// SPDX-License-Identifier: MIT
#include "core/base/math.h"

#include <cstdint>
#include <random>

#include "gtest/gtest.h"

namespace gridwise {
namespace {

static_assert(CeilDiv(0, 4) == 0 && CeilDiv(1, 4) == 1 && CeilDiv(4, 4) == 1 && CeilDiv(5, 4) == 2);
static_assert(CeilDiv(INT64_MAX, int64_t{2}) == INT64_MAX / 2 + 1, "no overflow of a + b - 1");
static_assert(AlignUp(0, 8) == 0 && AlignUp(1, 8) == 8 && AlignUp(8, 8) == 8);
static_assert(Gcd(12, 18) == 6 && Gcd(7, 0) == 7 && Gcd(1, 9) == 1 && Gcd(8, 8) == 8);
static_assert(Divide(100, MakeMagicDiv(7)) == 14);
static_assert(sizeof(MagicDiv) == 8);

constexpr uint32_t kEdge = 1u << 31;  // dividends and divisors are below it

/// Divide() is monotone in n, so that it is exact on [0, last] if it is exact at q*d and q*d - 1
/// for every q. Checks `around` multiples at both ends of [0, 2^31), and the last dividend.
void ExpectExactAroundMultiples(uint32_t d, uint32_t around) {
  const MagicDiv magic = MakeMagicDiv(d);
  const uint32_t quotients = (kEdge - 1) / d;
  auto check = [&](uint64_t q) {
    const uint32_t n = static_cast<uint32_t>(q * d);
    ASSERT_EQ(Divide(n, magic), q) << n << " / " << d;
    if (n > 0) ASSERT_EQ(Divide(n - 1, magic), q - 1) << n - 1 << " / " << d;
  };
  for (uint64_t q = 0; q <= quotients && q < around; ++q) check(q);
  for (uint64_t q = quotients - (quotients < around ? quotients : around); q <= quotients; ++q) {
    check(q);
  }
  ASSERT_EQ(Divide(kEdge - 1, magic), (kEdge - 1) / d) << d;
}

TEST(MagicDiv, ExactForEveryDivisorUpTo65536) {
  for (uint32_t d = 1; d <= 65536 && !HasFatalFailure(); ++d) ExpectExactAroundMultiples(d, 40);
}

TEST(MagicDiv, ExactOnEveryMultipleOfSomeDivisors) {
  for (uint32_t d : {641u, 1000u, 4095u, 4097u, 65537u}) ExpectExactAroundMultiples(d, kEdge / d);
}

TEST(MagicDiv, ExactAroundPowersOfTwoAndAtTheEdge) {
  for (int bit = 2; bit <= 31; ++bit) {
    for (int64_t offset = -2; offset <= 2; ++offset) {
      const int64_t d = (int64_t{1} << bit) + offset;
      if (d < kEdge) ExpectExactAroundMultiples(static_cast<uint32_t>(d), 1000);
    }
  }
}

TEST(MagicDiv, ExactOnRandomPairs) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000000; ++i) {
    const uint32_t d = (random() >> (1 + random() % 31)) | 1;
    const uint32_t n = random() >> 1;
    ASSERT_EQ(Divide(n, MakeMagicDiv(d)), n / d) << n << " / " << d;
  }
}

}  // namespace
}  // namespace gridwise
