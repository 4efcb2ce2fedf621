// SPDX-License-Identifier: MIT
#include "core/launch/kernel_needs.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/arch/target.h"
#include "gtest/gtest.h"

namespace gridwise {
namespace {

/// A file of two sections, symbols and their names, and one kernel's descriptor: of what
/// ReadKernelNeeds looks at, everything.
std::string MakeObject(std::string_view symbol, std::uint32_t registers, std::uint32_t lds_bytes) {
  constexpr std::size_t kHeaders = 64, kSymbols = 256, kNames = 304, kDescriptor = 384;
  constexpr std::uint64_t kLoadedAt = 0x1000;
  std::string file(512, 0);
  const auto put = [&](std::size_t at, auto value) {
    std::memcpy(file.data() + at, &value, sizeof(value));
  };
  file.replace(0, 5,
               "\x7f"
               "ELF\x02");
  put(0x28, std::uint64_t{kHeaders});
  put(0x3c, std::uint16_t{3});
  const auto section = [&](std::size_t number, std::uint32_t type, std::uint64_t address,
                           std::uint64_t offset, std::uint64_t size, std::uint32_t link) {
    const std::size_t at = kHeaders + 64 * number;
    put(at + 4, type);
    put(at + 16, address);
    put(at + 24, offset);
    put(at + 32, size);
    put(at + 40, link);
  };
  section(0, 11, 0, kSymbols, 48, 1);
  section(1, 3, 0, kNames, 64, 0);
  section(2, 1, kLoadedAt, kDescriptor, 64, 0);
  put(kSymbols + 24, std::uint32_t{1});  // the second symbol's name, section and address
  put(kSymbols + 24 + 6, std::uint16_t{2});
  put(kSymbols + 24 + 8, kLoadedAt);
  file.replace(kNames + 1, symbol.size(), symbol);
  put(kDescriptor, lds_bytes);
  put(kDescriptor + 48, (registers / 8 - 1) | 0x2c0);  // beside other fields
  return file;
}

TEST(KernelNeeds, AreThoseOfTheDescriptor) {
  const KernelNeeds needs = ReadKernelNeeds(MakeObject("kernel.kd", 112, 20480), "kernel");
  EXPECT_EQ(needs.registers, 112);
  EXPECT_EQ(needs.lds_bytes, 20480);
}

TEST(KernelNeeds, AreNotKnownOfOtherFiles) {
  const std::string object = MakeObject("kernel.kd", 112, 20480);
  EXPECT_EQ(ReadKernelNeeds(object, "kerne").registers, 0);
  EXPECT_EQ(ReadKernelNeeds(object, "kernel2").registers, 0);
  EXPECT_EQ(ReadKernelNeeds("", "kernel").registers, 0);
  EXPECT_EQ(ReadKernelNeeds(".version 8.0", "kernel").registers, 0);
  // Cut anywhere, a file says nothing or what it is, and nothing beyond its end is read.
  for (std::size_t size = 0; size < object.size(); ++size) {
    const std::string part = object.substr(0, size);
    const int registers = ReadKernelNeeds(part, "kernel").registers;
    EXPECT_TRUE(registers == 0 || registers == 112) << size;
  }
}

TEST(HasKernel, LooksForTheWholeName) {
  const std::string object = MakeObject("kernel_1.kd", 112, 20480);
  EXPECT_TRUE(HasKernel(object, "kernel_1"));
  EXPECT_FALSE(HasKernel(object, "kernel_"));
  EXPECT_FALSE(HasKernel(object, "kernel_12"));
  EXPECT_FALSE(HasKernel("", "kernel_1"));
  const std::string_view ptx = ".version 9.0\n.visible .entry kernel_12(\n";
  EXPECT_TRUE(HasKernel(ptx, "kernel_12"));
  EXPECT_FALSE(HasKernel(ptx, "kernel_1"));
  EXPECT_FALSE(HasKernel(ptx, "kernel_123"));
  // As tools/build/private/pack_ptx.sh packs it: the text says what the compressed bytes have.
  const std::string packed =
      std::string("packed PTX, 3 bytes of 9: .entry kernel_12(") + '\0' + "gz";
  EXPECT_TRUE(HasKernel(packed, "kernel_12"));
  EXPECT_FALSE(HasKernel(packed, "kernel_1"));
}

TEST(ResidentWorkgroups, AreBoundByRegistersLdsAndWaves) {
  const auto of = [](Gfx gfx, int registers, int lds_bytes, int waves) {
    return ResidentWorkgroups(DeviceFacts(gfx), {.registers = registers, .lds_bytes = lds_bytes},
                              waves);
  };
  EXPECT_EQ(of(Gfx::k942, 128, 0, 4), 4);
  EXPECT_EQ(of(Gfx::k942, 129, 0, 4), 3);
  EXPECT_EQ(of(Gfx::k942, 8, 0, 4), 8);
  EXPECT_EQ(of(Gfx::k942, 512, 0, 1), 4);
  EXPECT_EQ(of(Gfx::k942, 512, 0, 16), 1);
  EXPECT_EQ(of(Gfx::k942, 64, 20000, 4), 3);
  EXPECT_EQ(of(Gfx::k950, 64, 20000, 4), 8);
  EXPECT_EQ(of(Gfx::k1201, 120, 0, 8), 6);  // 12 waves a SIMD
  EXPECT_EQ(of(Gfx::k1201, 24, 0, 4), 16);
  EXPECT_EQ(of(Gfx::k1201, 24, 11264, 4), 11);  // 11 blocks of 1024 bytes
  EXPECT_EQ(of(Gfx::k1201, 24, 11265, 4), 10);
  EXPECT_EQ(of(Gfx::k1100, 24, 11265, 4), 10);
}

}  // namespace
}  // namespace gridwise
