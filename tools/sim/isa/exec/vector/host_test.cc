// SPDX-License-Identifier: MIT
#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tools/sim/isa/testing/test_wave.h"

/// Integer instructions beside those of the host that do the same: the formulas of the other tests
/// are written from the same text as the simulator's, and could share a mistake with it.

#define HOST [[gnu::target("bmi,bmi2,lzcnt,popcnt,sse4.1")]]

namespace gridwise::sim {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

struct Pair {
  std::string text;  // uses a = v[0:1], b = v[2:3], c = v[4:5] and d = v[20:21]
  bool wide;
  std::function<u64(u64 a, u64 b, u64 c)> host;
};

HOST __m128i X(u64 x) { return _mm_cvtsi64_si128(static_cast<int64_t>(x)); }
HOST u64 Q(__m128i x) { return static_cast<u64>(_mm_cvtsi128_si64(x)); }

HOST u64 Sad(u64 a, u64 b) { return Q(_mm_sad_epu8(X(u32(a)), X(u32(b)))); }
HOST u64 FourSads(u64 a, u64 b, u64 c) {
  return Q(_mm_add_epi16(_mm_mpsadbw_epu8(X(a), X(u32(b)), 0), X(c)));
}
/// Averages are rounded up by the host, and by the device where the lowest bit of `c` says so.
HOST u64 Lerp(u64 a, u64 b, u64 c) {
  const __m128i up = _mm_avg_epu8(X(a), X(b)), ones = _mm_set1_epi8(-1);
  const __m128i down =
      _mm_xor_si128(_mm_avg_epu8(_mm_xor_si128(X(a), ones), _mm_xor_si128(X(b), ones)), ones);
  const __m128i which = _mm_cmpeq_epi8(_mm_and_si128(X(c), _mm_set1_epi8(1)), _mm_set1_epi8(1));
  return Q(_mm_blendv_epi8(down, up, which));
}
/// Bytes to choose from: those of b and a, the signs of every second one, 0 and 255.
HOST u64 Perm(u64 a, u64 b, u64 c) {
  const __m128i bytes = X(a << 32 | u32(b));
  const __m128i signs = _mm_packs_epi16(_mm_srai_epi16(bytes, 15), _mm_setzero_si128());
  const u64 more = u64{0xffffff00} << 32 | u32(Q(signs));
  return Q(_mm_shuffle_epi8(_mm_unpacklo_epi64(bytes, X(more)),
                            _mm_min_epu8(X(u32(c)), _mm_set1_epi8(15))));
}
HOST u64 AlignBit(u64 a, u64 b, u64 c) {
  u32 low = static_cast<u32>(b);
  asm("shrd %%cl, %1, %0" : "+r"(low) : "r"(static_cast<u32>(a)), "c"(static_cast<uint8_t>(c)));
  return low;
}
HOST u64 Bfe(u64 a, u64 b, u64 c) { return _bextr_u32(u32(a), b & 31, c & 31); }
HOST u64 Bfm(u64 a, u64 b, u64) { return u32(_bzhi_u32(~0u, a & 31) << (b & 31)); }
HOST u64 Ffbh(u64 a, u64, u64) { return u32(a) == 0 ? ~0u : _lzcnt_u32(u32(a)); }
HOST u64 FfbhSigned(u64 a, u64, u64) {
  const int sign = static_cast<int>(a) >> 31;
  return static_cast<int>(a) == sign ? ~0u : _lzcnt_u32(u32(a) ^ static_cast<u32>(sign));
}
HOST u64 Ffbl(u64 a, u64, u64) { return u32(a) == 0 ? ~0u : _tzcnt_u32(u32(a)); }
HOST u64 MulHi(u64 a, u64 b, u64) { return Q(_mm_mul_epi32(X(a), X(b))) >> 32; }
HOST u64 MulHi24(u64 a, u64 b, u64) {
  const auto low = [](u64 x) __attribute__((target("sse4.1"))) {
    return _mm_srai_epi32(_mm_slli_epi32(X(x), 8), 8);
  };
  // Bits 32 to 47 of the product, sign-extended.
  return u32(Q(_mm_mul_epi32(low(a), low(b))) >> 32);
}
HOST u64 MulHi24Unsigned(u64 a, u64 b, u64) {
  return Q(_mm_mul_epu32(X(_bzhi_u64(a, 24)), X(_bzhi_u64(b, 24)))) >> 32;
}
HOST u64 Dot2(u64 a, u64 b, u64 c) {
  return u32(Q(_mm_add_epi32(_mm_madd_epi16(X(u32(a)), X(u32(b))), X(c))));
}
HOST u64 Sum(__m128i products, u64 c) {
  return u32(Q(_mm_add_epi32(_mm_hadd_epi32(products, products), X(c))));
}
HOST u64 Dot4(u64 a, u64 b, u64 c) {
  return Sum(_mm_madd_epi16(_mm_cvtepi8_epi16(X(u32(a))), _mm_cvtepi8_epi16(X(u32(b)))), c);
}
HOST u64 Dot4Unsigned(u64 a, u64 b, u64 c) {
  return Sum(_mm_madd_epi16(_mm_cvtepu8_epi16(X(u32(a))), _mm_cvtepu8_epi16(X(u32(b)))), c);
}
HOST u64 AddsUnsigned(u64 a, u64 b, u64) { return Q(_mm_adds_epu16(X(a), X(b))); }
HOST u64 SubsUnsigned(u64 a, u64 b, u64) { return Q(_mm_subs_epu16(X(a), X(b))); }
HOST u64 Adds(u64 a, u64 b, u64) { return Q(_mm_adds_epi16(X(a), X(b))); }
HOST u64 Subs(u64 a, u64 b, u64) { return Q(_mm_subs_epi16(X(a), X(b))); }
HOST u64 MulLow(u64 a, u64 b, u64) { return Q(_mm_mullo_epi16(X(a), X(b))); }
HOST u64 Min(u64 a, u64 b, u64) { return Q(_mm_min_epi16(X(a), X(b))); }
HOST u64 Max(u64 a, u64 b, u64) { return Q(_mm_max_epu16(X(a), X(b))); }
HOST u64 Pack(u64 a, u64 b, u64) {
  return u32(Q(_mm_packs_epi32(_mm_unpacklo_epi32(X(a), X(b)), _mm_setzero_si128())));
}
HOST u64 PackUnsigned(u64 a, u64 b, u64) {
  const __m128i both = _mm_unpacklo_epi32(X(a), X(b));
  return u32(Q(_mm_packus_epi32(_mm_min_epu32(both, _mm_set1_epi32(0xffff)), both)));
}
HOST u64 Med3(u64 a, u64 b, u64 c) {
  const __m128i low = _mm_min_epi32(X(a), X(b)), high = _mm_max_epi32(X(a), X(b));
  return u32(Q(_mm_max_epi32(low, _mm_min_epi32(high, X(c)))));
}

std::vector<Pair> Pairs() {
  return {
      {"v_sad_u8 v20, v0, v2, v4", false, [](u64 a, u64 b, u64 c) { return Sad(a, b) + c; }},
      {"v_sad_hi_u8 v20, v0, v2, v4", false,
       [](u64 a, u64 b, u64 c) { return (Sad(a, b) << 16) + c; }},
      {"v_qsad_pk_u16_u8 v[20:21], v[0:1], v2, v[4:5]", true, FourSads},
      {"v_lerp_u8 v20, v0, v2, v4", false, Lerp},
      {"v_perm_b32 v20, v0, v2, v4", false, Perm},
      {"v_alignbit_b32 v20, v0, v2, v4", false, AlignBit},
      {"v_bfe_u32 v20, v0, v2, v4", false, Bfe},
      {"v_bfm_b32 v20, v0, v2", false, Bfm},
      {"v_ffbh_u32_e32 v20, v0", false, Ffbh},
      {"v_ffbh_i32_e32 v20, v0", false, FfbhSigned},
      {"v_ffbl_b32_e32 v20, v0", false, Ffbl},
      {"v_mul_hi_i32 v20, v0, v2", false, MulHi},
      {"v_mul_hi_i32_i24_e32 v20, v0, v2", false, MulHi24},
      {"v_mul_hi_u32_u24_e32 v20, v0, v2", false, MulHi24Unsigned},
      {"v_dot2_i32_i16 v20, v0, v2, v4", false, Dot2},
      {"v_dot4_i32_i8 v20, v0, v2, v4", false, Dot4},
      {"v_dot4_u32_u8 v20, v0, v2, v4", false, Dot4Unsigned},
      {"v_pk_add_u16 v20, v0, v2 clamp", false, AddsUnsigned},
      {"v_pk_sub_u16 v20, v0, v2 clamp", false, SubsUnsigned},
      {"v_pk_add_i16 v20, v0, v2 clamp", false, Adds},
      {"v_pk_sub_i16 v20, v0, v2 clamp", false, Subs},
      {"v_pk_mul_lo_u16 v20, v0, v2", false, MulLow},
      {"v_pk_min_i16 v20, v0, v2", false, Min},
      {"v_pk_max_u16 v20, v0, v2", false, Max},
      {"v_cvt_pk_i16_i32 v20, v0, v2", false, Pack},
      {"v_cvt_pk_u16_u32 v20, v0, v2", false, PackUnsigned},
      {"v_med3_i32 v20, v0, v2, v4", false, Med3},
  };
}

TEST(Host, VectorIntegers) {
  std::mt19937 random(1);
  const auto any = [&] {
    // Values of all sizes, and bytes at their ends.
    u32 x = static_cast<u32>(random()) >> random() % 32;
    for (int i = 0; i < 4; ++i) {
      const u32 byte = u32{0xff} << 8 * i, kind = random() % 8;
      if (kind < 2) x = kind == 0 ? x & ~byte : x | byte;
    }
    return random() % 4 == 0 ? ~x : x;
  };
  for (const Pair& pair : Pairs()) {
    for (int round = 0; round < 64; ++round) {
      TestWave wave;
      for (int r = 0; r < 6; ++r) std::generate_n(wave->v[r], kLanes, any);
      const absl::Status status = wave.Execute(pair.text);
      ASSERT_TRUE(status.ok()) << status;
      for (int lane = 0; lane < kLanes; ++lane) {
        const auto of = [&](int r) { return wave->v[r][lane] | u64{wave->v[r + 1][lane]} << 32; };
        const u64 mask = pair.wide ? ~u64{0} : 0xffffffff;
        ASSERT_EQ(of(20) & mask, pair.host(of(0), of(2), of(4)) & mask)
            << pair.text << std::hex << ' ' << of(0) << ' ' << of(2) << ' ' << of(4);
      }
    }
  }
}

HOST u64 Replicated(u64 a) {
  const u64 even = _pdep_u64(a, 0x5555555555555555);
  return even | even << 1;
}
HOST u64 Quads(u64 a) { return _pext_u64(a | a >> 1 | a >> 2 | a >> 3, 0x1111111111111111); }
HOST u64 BelowLane(u64 mask, int lane) {
  return static_cast<u64>(_mm_popcnt_u64(_bzhi_u64(mask, static_cast<u32>(lane))));
}

TEST(Host, MasksOfLanes) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    TestWave wave;
    const u64 mask = random() & random();
    wave->s[0] = static_cast<u32>(mask);
    wave->s[1] = static_cast<u32>(mask >> 32);
    ASSERT_TRUE(
        wave.ExecuteAll({"s_bitreplicate_b64_b32 s[4:5], s0", "s_quadmask_b64 s[6:7], s[0:1]",
                         "v_mbcnt_lo_u32_b32 v0, s0, 0", "v_mbcnt_hi_u32_b32 v0, s1, v0"})
            .ok());
    EXPECT_EQ(wave->s[4] | u64{wave->s[5]} << 32, Replicated(static_cast<u32>(mask)));
    EXPECT_EQ(wave->s[6] | u64{wave->s[7]} << 32, Quads(mask));
    for (int lane = 0; lane < kLanes; ++lane) {
      ASSERT_EQ(wave->v[0][lane], BelowLane(mask, lane));
    }
  }
}

}  // namespace
}  // namespace gridwise::sim
