// SPDX-License-Identifier: MIT
#pragma once

#include "core/arch/factor.h"
#include "core/arch/hopper.h"
#include "core/arch/mma_shape.h"

/// Hopper's matrix unit. A warpgroup, 128 threads, multiplies 64 x k of A with k x n of B, both in
/// shared memory, asynchronously, and adds to sums in its registers: f32, or i32 for i8. k is
/// WgmmaK(type), 32 bytes. Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions".
///
/// Sums of a thread of warp w and lane l: d[4 j + 2 h + e] is row 16 w + l / 4 + 8 h and column
/// 8 j + 2 (l % 4) + e.

namespace gridwise {

using MatrixDescriptor = unsigned long long;

/// The start of an operand, as a descriptor has it: within this workgroup's shared memory. (In a
/// cluster, the upper bits of addresses have the workgroup's number.)
GRIDWISE_DEVICE MatrixDescriptor StartOf(SharedAddress address) { return (address & 0x3ffff) >> 4; }

/// An operand whose rows (of A) or columns (of B) are runs of kSwizzle bytes along k, 128, 64 or
/// 32, as TMA writes them with that swizzle; groups of 8 runs follow each other. The swizzle is a
/// function of the address, so a descriptor may begin at any run.
template <int kSwizzle>
GRIDWISE_DEVICE MatrixDescriptor RunsAlongK(SharedAddress address) {
  constexpr MatrixDescriptor kMode = kSwizzle == 128 ? 1 : kSwizzle == 64 ? 2 : 3;
  return StartOf(address) | (MatrixDescriptor{1} << 16) |
         (MatrixDescriptor{8 * kSwizzle / 16} << 32) | (kMode << 62);
}
/// An operand that lies along its rows or columns: lines of 64 elements, one for each k, with the
/// 128-byte swizzle. 8 lines follow each other. The next 64 elements are `next` bytes further, by
/// default 64 lines; other distances may make them overlap.
GRIDWISE_DEVICE MatrixDescriptor LinesPerK(SharedAddress address, int next = 8192) {
  return StartOf(address) | (static_cast<MatrixDescriptor>(next / 16) << 16) |
         (MatrixDescriptor{1024 / 16} << 32) | (MatrixDescriptor{1} << 62);
}

/// The operand that begins `bytes` bytes after another; a multiple of 16.
GRIDWISE_DEVICE MatrixDescriptor Moved(MatrixDescriptor operand, int bytes) {
  const unsigned low = static_cast<unsigned>(operand) + static_cast<unsigned>(bytes >> 4);
  return (operand & ~MatrixDescriptor{0xffffffff}) | low;
}

/// How an operand lies in shared memory: runs along k, or one line per k.
enum class OperandOrder { kRunsAlongK, kLinesPerK };

#if defined(__NVPTX__)

/// Orders this warpgroup's accesses to the sums before the instructions that follow.
GRIDWISE_DEVICE void WgmmaFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Makes the instructions since the last commit a group.
GRIDWISE_DEVICE void WgmmaCommit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until all groups but the newest kLeft are done.
template <int kLeft>
GRIDWISE_DEVICE void WgmmaWait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}

namespace wgmma_text {

/// Text of an instruction, composed by the compiler.
struct Text {
  char text[1024] = {};
  int length = 0;

  constexpr const char* data() const { return text; }
  constexpr unsigned long size() const { return static_cast<unsigned long>(length); }
  constexpr Text& operator<<(const char* part) {
    while (*part != '\0') text[length++] = *part++;
    return *this;
  }
  constexpr Text& operator<<(int number) {
    if (number >= 10) *this << number / 10;
    text[length++] = static_cast<char>('0' + number % 10);
    return *this;
  }
};

constexpr const char* Suffix(DataType type) {
  switch (type) {
    case DataType::kF16:
      return ".f16";
    case DataType::kBF16:
      return ".bf16";
    case DataType::kI8:
      return ".s8";
    case DataType::kI32:
      return ".s32";
    default:
      return ".f32";
  }
}

/// The instruction up to its sums. `keep` is the operand that is 0 if sums start from 0.
constexpr Text Beginning(int n, DataType type, int keep) {
  Text text;
  text << "{\n.reg .pred p;\nsetp.ne.b32 p, %" << keep << ", 0;\n"
       << "wgmma.mma_async.sync.aligned.m64n" << n << "k" << WgmmaK(type) << Suffix(SumType(type))
       << Suffix(type) << Suffix(type) << " {";
  for (int i = 0; i < n / 2; ++i) text << (i == 0 ? "%" : ", %") << i;
  text << "}, ";
  return text;
}
/// d += a * b, or d = a * b if the last operand is 0. Floats have factors of 1, and 16-bit types an
/// order.
constexpr Text Instruction(int n, DataType type, OperandOrder a, OperandOrder b) {
  const int sums = n / 2;
  Text text = Beginning(n, type, sums + 2);
  text << "%" << sums << ", %" << sums + 1 << ", p";
  if (SumType(type) == DataType::kF32) text << ", 1, 1";
  if (SizeOf(type) == 2) {
    text << ", " << (a == OperandOrder::kLinesPerK) << ", " << (b == OperandOrder::kLinesPerK);
  }
  return text << ";\n}";
}
/// The same with A in four registers.
constexpr Text InstructionOfRegisters(int n, DataType type, OperandOrder b) {
  const int sums = n / 2;
  Text text = Beginning(n, type, sums + 5);
  text << "{%" << sums << ", %" << sums + 1 << ", %" << sums + 2 << ", %" << sums + 3 << "}, %"
       << sums + 4 << ", p, 1, 1, " << (b == OperandOrder::kLinesPerK) << ";\n}";
  return text;
}

/// The operand constraint of a sum.
template <class Sum>
constexpr Text InOut() {
  Text text;
  return text << (__is_same(Sum, int&) ? "+r" : "+f");
}

}  // namespace wgmma_text

// An instruction takes each sum as a separate operand.
#define GRIDWISE_SUM(d, i) (wgmma_text::InOut<decltype(d[i])>())(d[i])
#define GRIDWISE_SUMS4(d, i) \
  GRIDWISE_SUM(d, i), GRIDWISE_SUM(d, i + 1), GRIDWISE_SUM(d, i + 2), GRIDWISE_SUM(d, i + 3)
#define GRIDWISE_SUMS8(d, i) GRIDWISE_SUMS4(d, i), GRIDWISE_SUMS4(d, i + 4)
#define GRIDWISE_SUMS16(d, i) GRIDWISE_SUMS8(d, i), GRIDWISE_SUMS8(d, i + 8)
#define GRIDWISE_SUMS32(d, i) GRIDWISE_SUMS16(d, i), GRIDWISE_SUMS16(d, i + 16)
#define GRIDWISE_SUMS56(d, i) \
  GRIDWISE_SUMS32(d, i), GRIDWISE_SUMS16(d, i + 32), GRIDWISE_SUMS8(d, i + 48)
#define GRIDWISE_SUMS64(d, i) GRIDWISE_SUMS32(d, i), GRIDWISE_SUMS32(d, i + 32)
#define GRIDWISE_SUMS96(d, i) GRIDWISE_SUMS64(d, i), GRIDWISE_SUMS32(d, i + 64)
#define GRIDWISE_SUMS100(d, i) GRIDWISE_SUMS96(d, i), GRIDWISE_SUMS4(d, i + 96)
#define GRIDWISE_SUMS108(d, i) \
  GRIDWISE_SUMS96(d, i), GRIDWISE_SUMS8(d, i + 96), GRIDWISE_SUMS4(d, i + 104)
#define GRIDWISE_SUMS120(d, i) \
  GRIDWISE_SUMS96(d, i), GRIDWISE_SUMS16(d, i + 96), GRIDWISE_SUMS8(d, i + 112)
#define GRIDWISE_SUMS128(d, i) GRIDWISE_SUMS64(d, i), GRIDWISE_SUMS64(d, i + 64)

/// Visits the widths that kernels use: statement(sums, list of operands).
#define GRIDWISE_FOR_SUMS(count, d, statement)                         \
  if constexpr (count == 4) {                                          \
    statement(GRIDWISE_SUMS4(d, 0));                                   \
  } else if constexpr (count == 8) {                                   \
    statement(GRIDWISE_SUMS8(d, 0));                                   \
  } else if constexpr (count == 12) {                                  \
    statement(GRIDWISE_SUMS8(d, 0), GRIDWISE_SUMS4(d, 8));             \
  } else if constexpr (count == 16) {                                  \
    statement(GRIDWISE_SUMS16(d, 0));                                  \
  } else if constexpr (count == 20) {                                  \
    statement(GRIDWISE_SUMS16(d, 0), GRIDWISE_SUMS4(d, 16));           \
  } else if constexpr (count == 24) {                                  \
    statement(GRIDWISE_SUMS16(d, 0), GRIDWISE_SUMS8(d, 16));           \
  } else if constexpr (count == 32) {                                  \
    statement(GRIDWISE_SUMS32(d, 0));                                  \
  } else if constexpr (count == 36) {                                  \
    statement(GRIDWISE_SUMS32(d, 0), GRIDWISE_SUMS4(d, 32));           \
  } else if constexpr (count == 40) {                                  \
    statement(GRIDWISE_SUMS32(d, 0), GRIDWISE_SUMS8(d, 32));           \
  } else if constexpr (count == 48) {                                  \
    statement(GRIDWISE_SUMS32(d, 0), GRIDWISE_SUMS16(d, 32));          \
  } else if constexpr (count == 56) {                                  \
    statement(GRIDWISE_SUMS56(d, 0));                                  \
  } else if constexpr (count == 60) {                                  \
    statement(GRIDWISE_SUMS56(d, 0), GRIDWISE_SUMS4(d, 56));           \
  } else if constexpr (count == 64) {                                  \
    statement(GRIDWISE_SUMS64(d, 0));                                  \
  } else if constexpr (count == 72) {                                  \
    statement(GRIDWISE_SUMS64(d, 0), GRIDWISE_SUMS8(d, 64));           \
  } else if constexpr (count == 80) {                                  \
    statement(GRIDWISE_SUMS64(d, 0), GRIDWISE_SUMS16(d, 64));          \
  } else if constexpr (count == 96) {                                  \
    statement(GRIDWISE_SUMS96(d, 0));                                  \
  } else if constexpr (count == 100) {                                 \
    statement(GRIDWISE_SUMS100(d, 0));                                 \
  } else if constexpr (count == 108) {                                 \
    statement(GRIDWISE_SUMS108(d, 0));                                 \
  } else if constexpr (count == 120) {                                 \
    statement(GRIDWISE_SUMS120(d, 0));                                 \
  } else {                                                             \
    static_assert(count == 128, "add the width to core/arch/wgmma.h"); \
    statement(GRIDWISE_SUMS128(d, 0));                                 \
  }

/// Starts d = a * b + (keep ? d : 0) for kN columns, whose elements are kType.
template <int kN, DataType kType, OperandOrder kA, OperandOrder kB>
GRIDWISE_DEVICE void Wgmma(Element<SumType(kType)> (&d)[kN / 2], MatrixDescriptor a,
                           MatrixDescriptor b, int keep) {
  static_assert(SizeOf(kType) == 2 || (kA == OperandOrder::kRunsAlongK && kB == kA));
#define GRIDWISE_WGMMA(...)                                 \
  asm volatile((wgmma_text::Instruction(kN, kType, kA, kB)) \
               : __VA_ARGS__                                \
               : "l"(a), "l"(b), "r"(keep))
  GRIDWISE_FOR_SUMS(kN / 2, d, GRIDWISE_WGMMA)
#undef GRIDWISE_WGMMA
}

/// Wgmma with A in registers, which must not change until the products are done. A thread of warp w
/// and lane l has rows 16 w + l / 4 and 8 further, each at columns 2 (l % 4) and the next, then the
/// same rows 8 columns further.
template <int kN, DataType kType, OperandOrder kB>
GRIDWISE_DEVICE void WgmmaOfRegisters(float (&d)[kN / 2], const unsigned (&a)[4],
                                      MatrixDescriptor b, int keep) {
#define GRIDWISE_WGMMA(...)                                        \
  asm volatile((wgmma_text::InstructionOfRegisters(kN, kType, kB)) \
               : __VA_ARGS__                                       \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep))
  GRIDWISE_FOR_SUMS(kN / 2, d, GRIDWISE_WGMMA)
#undef GRIDWISE_WGMMA
}

/// Keeps the compiler from moving its own uses of the sums across this point.
template <class Sum, int kSums>
GRIDWISE_DEVICE void Touch(Sum (&d)[kSums]) {
#define GRIDWISE_TOUCH(...) asm volatile("" : __VA_ARGS__::"memory")
  GRIDWISE_FOR_SUMS(kSums, d, GRIDWISE_TOUCH)
#undef GRIDWISE_TOUCH
}

#else  // on the host, see hopper_on_host.h

inline void WgmmaFence() {}
inline void WgmmaCommit() {}
/// Lanes of a warp execute these together: all of them have arrived before one of them continues.
template <int kLeft>
inline void WgmmaWait() {
  SyncWarp();
}
template <class Sum, int kSums>
inline void Touch(Sum (&)[kSums]) {}

/// Where an operand's element of `size` bytes is in shared memory: in a row of A, or a column of B,
/// at k.
inline SharedAddress OperandAt(MatrixDescriptor operand, OperandOrder order, int bytes, int row,
                               int k) {
  const auto start = static_cast<unsigned>(operand & 0x3fff) * 16;
  const auto leading = static_cast<unsigned>(operand >> 16 & 0x3fff) * 16;
  const auto stride = static_cast<unsigned>(operand >> 32 & 0x3fff) * 16;
  const int swizzle = 256 >> static_cast<int>(operand >> 62);
  const unsigned at = order == OperandOrder::kRunsAlongK
                          ? static_cast<unsigned>(row / 8) * stride + row % 8 * swizzle + k * bytes
                          : static_cast<unsigned>(row / 64) * leading +
                                static_cast<unsigned>(k / 8) * stride + k % 8 * 128 +
                                row % 64 * bytes;
  return Swizzled(start + at, swizzle);
}

/// Sums of products of `a(row, k)` and `b(column, k)` over kK values of k.
template <int kN, int kK, class Sum>
inline void MultiplyOnHost(Sum (&d)[kN / 2], int keep, auto&& a, auto&& b) {
  const int thread = ThreadId() % 128, lane = thread % 32;
  std::array<std::array<decltype(a(0, 0)), kK>, 2> of_rows;  // A's, converted once
  for (int i = 0; i < 2; ++i) {
    const int row = thread / 32 * 16 + lane / 4 + i * 8;
    for (int k = 0; k < kK; ++k) of_rows[i][k] = a(row, k);
  }
  for (int i = 0; i < kN / 4; ++i) {
    const int column = i / 2 * 8 + lane % 4 * 2 + i % 2;
    std::array<decltype(b(0, 0)), kK> of_column;
    for (int k = 0; k < kK; ++k) of_column[k] = b(column, k);
    for (int of_row = 0; of_row < 2; ++of_row) {
      Sum& sum = d[i / 2 * 4 + of_row * 2 + i % 2];
      if (keep == 0) sum = 0;
      for (int k = 0; k < kK; ++k) sum += of_rows[of_row][k] * of_column[k];
    }
  }
}
/// An element of an operand in shared memory: of a row or column, at k.
template <DataType kType, OperandOrder kOrder>
inline auto ElementsOf(MatrixDescriptor operand) {
  return [operand](int row, int k) {
    return ToFactor<kType>(*reinterpret_cast<const Element<kType>*>(
        dynamic_shared_memory + OperandAt(operand, kOrder, SizeOf(kType), row, k)));
  };
}

template <int kN, DataType kType, OperandOrder kA, OperandOrder kB>
inline void Wgmma(Element<SumType(kType)> (&d)[kN / 2], MatrixDescriptor a, MatrixDescriptor b,
                  int keep) {
  MultiplyOnHost<kN, WgmmaK(kType)>(d, keep, ElementsOf<kType, kA>(a), ElementsOf<kType, kB>(b));
}

template <int kN, DataType kType, OperandOrder kB>
inline void WgmmaOfRegisters(float (&d)[kN / 2], const unsigned (&a)[4], MatrixDescriptor b,
                             int keep) {
  const auto all = ExchangeInWarp({a[0], a[1], a[2], a[3]});
  const auto of_a = [&all](int row, int k) {
    const unsigned pair = all[row % 8 * 4 + k % 8 / 2][row % 16 / 8 + k / 8 * 2];
    return static_cast<float>(
        std::bit_cast<Element<kType> >(static_cast<unsigned short>(pair >> (16 * (k % 2)))));
  };
  MultiplyOnHost<kN, WgmmaK(kType)>(d, keep, of_a, ElementsOf<kType, kB>(b));
}

#endif

}  // namespace gridwise
