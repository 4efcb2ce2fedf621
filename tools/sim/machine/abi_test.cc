// SPDX-License-Identifier: MIT
#include "tools/sim/machine/abi.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/testing/assemble.h"
#include "tools/sim/machine/dispatch.h"
#include "tools/sim/machine/grid.h"
#include "tools/sim/machine/launch.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/wave/wave.h"

/// What gfx90a's waves begin with to reach scratch (LLVM AMDGPUUsage, "Initial Kernel Execution
/// State"; on later targets the hardware has it), and code that does as clang's does.

namespace gridwise::sim {
namespace {

/// Bits of KernelInfo::properties and of rsrc2.
constexpr uint16_t kBuffer = 1, kKernarg = 1 << 3, kFlatScratch = 1 << 5;
constexpr uint32_t kOffset = 1, kGroupX = 1 << 7;
constexpr uint32_t UserRegisters(uint32_t count) { return count << 1; }

std::vector<uint8_t> AssembleCode(const std::vector<std::string>& lines) {
  std::vector<uint8_t> code;
  for (const std::vector<uint8_t>& bytes : Assemble(lines, "gfx90a"))
    code.insert(code.end(), bytes.begin(), bytes.end());
  return code;
}

absl::StatusOr<std::unique_ptr<Program>> LoadProgram(const std::vector<uint8_t>& code) {
  return Program::FromText("gfx90a", reinterpret_cast<uint64_t>(code.data()), code.size());
}

/// A kernel of waves of 64 lanes with 32 vector registers and 16 accumulation registers.
KernelInfo MakeKernel(uint64_t entry) {
  KernelInfo kernel{};
  kernel.name = kernel.shown_name = "Test";
  kernel.entry_address = entry;
  kernel.wave_size = 64;
  kernel.rsrc1 = 5;  // 48 registers, by eight
  kernel.rsrc3 = 7;  // accumulation registers from 32 on, by four
  return kernel;
}

TEST(Gfx90a, WavesBeginWithTheWorkgroupsScratch) {
  const std::vector<uint8_t> code = AssembleCode({"s_endpgm"});
  const auto program = LoadProgram(code);
  ASSERT_TRUE(program.ok()) << program.status();
  KernelInfo kernel = MakeKernel(reinterpret_cast<uint64_t>(code.data()));
  kernel.properties = kBuffer | kKernarg | kFlatScratch;
  kernel.rsrc2 = kOffset | UserRegisters(4 + 2 + 2) | kGroupX;
  constexpr uint32_t kBytes = 16, kOfWave = kBytes * kLanes;
  const auto entry = (*program)->Enter(kernel.entry_address, InitialView(**program, kernel));
  ASSERT_TRUE(entry.ok()) << entry.status();
  Launch launch;
  launch.program = program->get();
  launch.entry = *entry;
  launch.kernel = &kernel;
  launch.grid = {.workgroups = {9, 1, 1}, .block = {128, 1, 1}};
  launch.kernarg = 0x123456789abc;
  launch.scratch_bytes = kBytes;
  std::vector<std::byte> scratch(2 * kOfWave);
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  const std::unique_ptr<Wave, Free> wave(
      static_cast<Wave*>(std::aligned_alloc(64, (sizeof(Wave) + 63) / 64 * 64)));
  Prepare(launch, 1, {7, 0, 0}, *wave);
  SetScratch(launch, scratch.data() + kOfWave, *wave);
  const auto base = reinterpret_cast<uint64_t>(scratch.data());
  // Base, swizzled; bytes of a wave; index stride 64, the thread's number is added.
  EXPECT_EQ(wave->s[0], static_cast<uint32_t>(base));
  EXPECT_EQ(wave->s[1], static_cast<uint32_t>(base >> 32) | 0x80000000u);
  EXPECT_EQ(wave->s[2], kOfWave);
  EXPECT_EQ(wave->s[3], 0x00e00000u);
  EXPECT_EQ(Scalar64(*wave, 4), launch.kernarg);
  EXPECT_EQ(Scalar64(*wave, 6), base);
  EXPECT_EQ(wave->s[8], 7u);       // workgroup
  EXPECT_EQ(wave->s[9], kOfWave);  // the second wave's offset
  EXPECT_EQ(InitialScalars(kernel), 10);
}

/// Each of 128 work-items of each of three workgroups keeps its number in scratch, at byte 8 of its
/// own, and reads it back: by the resource and by a flat address. A matrix instruction adds 16.
TEST(Gfx90a, AProgramUsesScratchAndMatrices) {
  const std::vector<uint8_t> code = AssembleCode({
      "s_add_u32 s0, s0, s9",  // the wave's scratch
      "s_addc_u32 s1, s1, 0",
      "s_add_u32 flat_scratch_lo, s6, s9",
      "s_addc_u32 flat_scratch_hi, s7, 0",
      "s_load_dwordx2 s[10:11], s[4:5], 0x0",
      "v_lshl_add_u32 v1, s8, 7, v0",  // 128 * workgroup + work-item
      "buffer_store_dword v1, off, s[0:3], 0 offset:8",
      "s_movk_i32 s12, 0x200",  // 8 bytes of each of 64 lanes
      "s_mov_b64 s[14:15], src_private_base",
      "v_mov_b32 v2, 8",
      "v_mov_b32 v3, s15",
      "s_waitcnt vmcnt(0)",
      "buffer_load_dword v4, off, s[0:3], s12",
      "flat_load_dword v5, v[2:3]",
      "v_mov_b32 v6, 0x3c003c00",
      "v_mov_b32 v7, 0x3c003c00",
      "s_nop 1",
      "v_mfma_f32_16x16x16f16 v[8:11], v[6:7], v[6:7], 0",
      "s_nop 10",
      "v_cvt_u32_f32 v8, v8",
      "s_waitcnt vmcnt(0) lgkmcnt(0)",
      "v_add3_u32 v4, v4, v5, v8",
      "v_lshlrev_b32 v1, 2, v1",
      "global_store_dword v1, v4, s[10:11]",
      "s_endpgm",
  });
  const auto program = LoadProgram(code);
  ASSERT_TRUE(program.ok()) << program.status();
  KernelInfo kernel = MakeKernel(reinterpret_cast<uint64_t>(code.data()));
  kernel.properties = kBuffer | kKernarg | kFlatScratch;
  kernel.rsrc2 = kOffset | UserRegisters(4 + 2 + 2) | kGroupX;
  kernel.private_bytes = 12;
  constexpr size_t kItems = 3 * 128;
  std::vector<uint32_t> out(kItems);
  const uint64_t kernarg[] = {reinterpret_cast<uint64_t>(out.data())};
  kernel.kernarg_bytes = sizeof(kernarg);
  Memory memory;
  ASSERT_TRUE(memory.Register(out.data(), kItems * sizeof(uint32_t), "out").ok());
  ASSERT_TRUE(memory.Register(kernarg, sizeof(kernarg), "kernel arguments").ok());
  const Grid grid = {.workgroups = {3, 1, 1}, .block = {128, 1, 1}};
  const auto report = sim::Run(**program, kernel, grid, kernarg, memory);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->waves, 6);
  for (uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(out[i], 2 * i + 16) << i;
}

}  // namespace
}  // namespace gridwise::sim
