// SPDX-License-Identifier: MIT
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "tools/sim/isa/bind/bind.h"
#include "tools/sim/isa/bind/memory.h"
#include "tools/sim/isa/text/operand.h"
#include "tools/sim/wave/uop.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

constexpr int32_t kQuadPermute = 0x8000;
constexpr int32_t kRotate = 0xc000;
constexpr int32_t kFft = 0xe000;

// Patterns of the bit-mask mode: lane' = ((lane & and) | or) ^ xor.
int32_t BitMask(int32_t and_mask, int32_t or_mask, int32_t xor_mask) {
  return and_mask | or_mask << 5 | xor_mask << 10;
}

// The 16-bit pattern of `text`: a number, or swizzle(MODE,...) as LLVM prints it (AMDGPU modifier
// syntax, "offset: pattern"). -1: not understood.
int32_t ParsePattern(std::string_view text) {
  int32_t number;
  if (absl::SimpleAtoi(text, &number) || absl::SimpleHexAtoi(text, &number)) return number;
  if (!absl::StartsWith(text, "swizzle(") || !absl::EndsWith(text, ")")) return -1;
  text.remove_prefix(8);
  text.remove_suffix(1);
  std::vector<std::string_view> parts = absl::StrSplit(text, ',');
  const std::string_view mode = absl::StripAsciiWhitespace(parts[0]);
  if (mode == "BITMASK_PERM" && parts.size() == 2) {
    const std::string_view bits =
        absl::StripAsciiWhitespace(parts[1]);  // "01pip", most significant first
    if (bits.size() != 7) return -1;
    int32_t and_mask = 0, or_mask = 0, xor_mask = 0;
    for (int i = 0; i < 5; ++i) {
      const int32_t bit = 16 >> i;
      const char c = bits[i + 1];
      if (c == 'p' || c == 'i') and_mask |= bit;
      if (c == '1') or_mask |= bit;
      if (c == 'i') xor_mask |= bit;
    }
    return BitMask(and_mask, or_mask, xor_mask);
  }
  std::vector<int32_t> numbers;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!absl::SimpleAtoi(parts[i], &numbers.emplace_back())) return -1;
  }
  if (mode == "QUAD_PERM" && numbers.size() == 4) {
    return kQuadPermute | numbers[0] | numbers[1] << 2 | numbers[2] << 4 | numbers[3] << 6;
  }
  if (mode == "SWAP" && numbers.size() == 1) return BitMask(0x1f, 0, numbers[0]);
  if (mode == "REVERSE" && numbers.size() == 1) return BitMask(0x1f, 0, numbers[0] - 1);
  if (mode == "BROADCAST" && numbers.size() == 2) return BitMask(0x20 - numbers[0], numbers[1], 0);
  if (mode == "FFT" && numbers.size() == 1) return kFft | numbers[0];
  if (mode == "ROTATE" && numbers.size() == 2) return kRotate | numbers[0] << 10 | numbers[1] << 5;
  return -1;
}

// The lane that lane l reads (CDNA3 and RDNA3 ISA, "DS_SWIZZLE_B32"): a fixed exchange within
// groups of 32 lanes, or of 4 in the quad mode.
uint32_t SourceLane(uint32_t pattern, uint32_t l) {
  const uint32_t group = l & 0x20, low = pattern & 0x1f, count = pattern >> 5 & 0x1f;
  if (pattern >= kFft) {  // the lane's bits in reverse; those that the mask selects stay
    uint32_t reversed = 0;
    for (int bit = 0; bit < 5; ++bit) reversed |= (l >> bit & 1) << (4 - bit);
    return group | reversed >> std::popcount(low) | (l & low);
  }
  if (pattern >= kRotate) {  // lanes that the mask selects stay in their group
    const uint32_t moved = pattern >> 10 & 1 ? l - count : l + count;
    return group | (l & low) | (moved & 0x1f & ~low);
  }
  if (pattern & kQuadPermute) return (l & ~3u) | (pattern >> (2 * (l & 3)) & 3);
  return group | ((((l & low) | count)) ^ (pattern >> 10 & 0x1f));
}

}  // namespace

absl::Status BindLdsSwizzle(Binder& binder, const Binding& binding, Instruction& instruction) {
  if (absl::Status status = binder.ExpectOperands(2); !status.ok()) return status;
  const absl::StatusOr<Ref> dst = binder.Vector(instruction.operands[0], 1);
  const absl::StatusOr<Ref> src = binder.Vector(instruction.operands[1], 1);
  if (!dst.ok()) return dst.status();
  if (!src.ok()) return src.status();
  const int32_t pattern = ParsePattern(instruction.TakeText("offset").value_or("0"));
  if (pattern < 0 || pattern > 0xffff)
    return binder.Error("has a swizzle pattern that its handler does not know");
  Uop uop;
  uop.exec = binding.exec;
  uop.dst = *dst;
  uop.src[0] = *src;
  uint32_t from[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) from[l] = SourceLane(static_cast<uint32_t>(pattern), l);
  const absl::StatusOr<Ref> table = binder.Table(from);
  if (!table.ok()) return table.status();
  uop.src[1] = *table;
  binder.Emit(uop);
  return absl::OkStatus();
}

}  // namespace gridwise::sim
