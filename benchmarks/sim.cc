// SPDX-License-Identifier: MIT
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "benchmark/benchmark.h"
#include "benchmarks/sim_gemm_objects.h"
#include "gridwise/instances.h"
#include "tools/build/code_object.h"
#include "tools/sim/check/checker.h"
#include "tools/sim/check/finding.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/isa/testing/test_wave.h"
#include "tools/sim/machine/dispatch.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/memory/memory.h"

/// How fast the simulator executes single instructions: time per wave instruction, and for matrix
/// instructions the simulated floating-point rate. One core, the best x86 level of this machine
/// (GRIDWISE_SIM_LEVEL lowers it).

namespace gridwise::sim {
namespace {

/// Instructions in one measured run; long enough to hide entering and leaving the interpreter.
constexpr int kRepeats = 64;

/// How the lanes of a memory instruction are set up.
enum class Lanes {
  kConsecutive,  // lane l is after lane l - 1
  kScattered,    // the same addresses in another order
  kPartial,      // scattered, and every fourth lane is off
};

/// Memory for the addresses in v[12:13] (global), v10 (LDS, buffers, exchanges), and the buffer
/// resource in s[8:11].
class Data {
 public:
  Data(TestWave& wave, Lanes lanes, uint32_t bytes) : global_(4096), lds_(4096) {
    memory_.Register(global_.data(), global_.size(), "operand").IgnoreError();
    wave->memory = &memory_;
    wave->lds = lds_.data();
    wave->lds_bytes = static_cast<uint32_t>(lds_.size());
    const auto base = reinterpret_cast<uint64_t>(global_.data());
    for (uint32_t l = 0; l < kLanes; ++l) {
      const uint32_t slot = lanes == Lanes::kConsecutive ? l : (l * 29 + 7) % kLanes;
      wave->v[10][l] = slot * bytes;
      wave->v[12][l] = static_cast<uint32_t>(base + slot * bytes);
      wave->v[13][l] = static_cast<uint32_t>((base + slot * bytes) >> 32);
    }
    SetScalar64(*wave, 8, base);
    wave->s[10] = 4096;
    wave->s[11] = 0x00027000;
    if (lanes == Lanes::kPartial) SetScalar64(*wave, kExecLo, 0x7777777777777777);
  }

 private:
  Memory memory_;
  std::vector<std::byte> global_, lds_;
};

void Measure(benchmark::State& state, TestWave& wave, const std::string& text, double flops) {
  const std::vector<std::string_view> texts(kRepeats, text);
  constexpr int kRuns = 100;
  for (auto _ : state) {
    const absl::Status status = wave.ExecuteAll(texts, kRuns);
    if (!status.ok()) state.SkipWithError(std::string(status.message()));
  }
  const double instructions = static_cast<double>(state.iterations()) * kRepeats * kRuns;
  state.counters["instructions"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
  if (flops != 0)
    state.counters["flops"] = benchmark::Counter(instructions * flops, benchmark::Counter::kIsRate);
}

void Execute(benchmark::State& state, const std::string& text, double flops, const char* gfx,
             MatrixMode mode) {
  SetMatrixMode(mode);
  TestWave wave(BestHandlers(), gfx);
  Measure(state, wave, text, flops);
}

void ExecuteMemory(benchmark::State& state, const std::string& text, Lanes lanes, uint32_t bytes) {
  TestWave wave;
  const Data data(wave, lanes, bytes);
  Measure(state, wave, text, 0);
}

void Register(const std::string& text, double flops = 0, const char* gfx = "gfx942",
              MatrixMode mode = MatrixMode::kFast) {
  const std::string name = text + (mode == MatrixMode::kExact ? " (exact)" : "") +
                           (std::string_view(gfx) == "gfx942" ? "" : std::string(" ") + gfx);
  benchmark::RegisterBenchmark(
      name, [=](benchmark::State& state) { Execute(state, text, flops, gfx, mode); });
}

/// A memory instruction whose lanes access `bytes` bytes each, in every arrangement of the lanes.
void RegisterMemory(const std::string& text, uint32_t bytes) {
  constexpr std::pair<Lanes, const char*> kLanesNames[] = {{Lanes::kConsecutive, " / consecutive"},
                                                           {Lanes::kScattered, " / scattered"},
                                                           {Lanes::kPartial, " / 48 lanes"}};
  for (const auto& [lanes, name] : kLanesNames) {
    benchmark::RegisterBenchmark(
        text + name, [=](benchmark::State& state) { ExecuteMemory(state, text, lanes, bytes); });
  }
}

/// From the bytes of a convolution's code object to a kernel whose instructions are bound: what the
/// first launch of a process waits for. With --benchmark_min_time=1x, what is done once in a
/// process is in it.
void ColdStart(benchmark::State& state, const char* gfx) {
  const std::vector<InstanceInfo> instances = ListInstances();
  for (auto _ : state) {
    Memory memory;
    bool found = false;
    for (const InstanceInfo& instance : instances) {
      if (found || Name(instance.gfx) != std::string_view(gfx) || instance.code.object.empty())
        continue;
      found = true;
      const auto object =
          sim::CodeObject::Load(std::as_bytes(std::span(instance.code.object)), memory, gfx);
      auto program = object.ok() ? Program::Decode(**object) : object.status();
      if (!program.ok() || (*object)->kernels().empty()) {
        state.SkipWithError("the code object does not load");
        continue;
      }
      const KernelInfo& kernel = (*object)->kernels().front();
      const auto entered =
          (*program)->Enter(kernel.entry_address, {.wave32 = kernel.wave_size == 32});
      if (!entered.ok()) state.SkipWithError(std::string(entered.status().message()));
      state.counters["kernels"] = static_cast<double>((*object)->kernels().size());
      state.counters["instructions"] = (*program)->instructions();
    }
    if (!found) state.SkipWithError("this build has no code object for the target");
  }
}
BENCHMARK_CAPTURE(ColdStart, gfx942, "gfx942")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ColdStart, gfx950, "gfx950")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ColdStart, gfx1100, "gfx1100")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ColdStart, gfx1201, "gfx1201")->Unit(benchmark::kMillisecond);

/// Check mode's categories: none, all but undefined values, all.
constexpr const char* kChecks[] = {"run", "check:waits,hazards,bounds,races,barriers,watch",
                                   "check"};

/// A whole kernel: an f16 GEMM tiled through LDS, on as many host threads as the first argument
/// says (check mode has one), with kChecks of the second. Its result is checked.
void Gemm(benchmark::State& state) {
  constexpr int kM = 512, kN = 512, kK = 1024;
  const CheckSettings settings = {
      .categories = ParseCategories(kChecks[state.range(1)]).value_or(0), .seed = {}};
  Memory memory;
  const gridwise::CodeObject embedded = SimGemmObjects().front();
  const auto image = std::as_bytes(std::span(embedded.data));
  auto object = sim::CodeObject::Load(image, memory);
  auto program = object.ok() ? Program::Decode(**object) : object.status();
  auto kernel = object.ok() ? (*object)->FindKernel("SimGemm") : object.status();
  if (!program.ok() || !kernel.ok()) {
    state.SkipWithError("the code object does not load");
    return;
  }
  std::vector<_Float16> a(kM * kK), b(kN * kK);
  std::vector<float> c(kM * kN);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<_Float16>(static_cast<int>(i * 7 % 13) - 6);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<_Float16>(static_cast<int>(i * 5 % 11) - 5);
  struct {
    const void *a, *b;
    void* c;
    int n, k;
  } kernarg = {a.data(), b.data(), c.data(), kN, kK};
  const std::pair<const void*, size_t> kShown[] = {{a.data(), a.size() * 2},
                                                   {b.data(), b.size() * 2},
                                                   {c.data(), c.size() * 4},
                                                   {&kernarg, sizeof(kernarg)}};
  for (const auto& [pointer, bytes] : kShown)
    memory.Register(pointer, bytes, "operand").IgnoreError();
  const Grid grid{.workgroups = {kN / 128, kM / 128, 1}, .block = {256, 1, 1}};
  for (auto _ : state) {
    CheckProbe check(settings);
    RunOptions options = {.threads = static_cast<int>(state.range(0))};
    if (settings.on()) options.probes = {&check};
    const auto report = Run(**program, **kernel, grid, &kernarg, memory, options);
    if (!report.ok()) state.SkipWithError(std::string(report.status().message()));
  }
  for (const auto& [m, n] : {std::pair(0, 0), std::pair(77, 301), std::pair(kM - 1, kN - 1)}) {
    double expected = 0;
    for (int k = 0; k < kK; ++k) {
      expected += static_cast<float>(a[static_cast<size_t>(m * kK + k)]) *
                  static_cast<float>(b[static_cast<size_t>(n * kK + k)]);
    }
    if (c[static_cast<size_t>(m * kN + n)] != expected) state.SkipWithError("the product is wrong");
  }
  if (!Findings::Get().All().empty()) state.SkipWithError("check mode found something");
  state.counters["flops"] = benchmark::Counter(
      2.0 * kM * kN * kK * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(Gemm)
    ->ArgNames({"threads", "checks"})
    ->Args({1, 0})
    ->Args({2, 0})
    ->Args({1, 1})
    ->Args({1, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void RegisterAlu() {
  Register("s_add_u32 s0, s0, s1");
  Register("s_lshl_b64 s[0:1], s[0:1], s2");
  Register("v_add_u32_e32 v0, v1, v2");
  Register("v_add_u32_e32 v0, s1, v2");
  Register("v_fma_f32 v0, v1, v2, v3");
  Register("v_fma_f32 v0, -v1, v2, v3");
  Register("v_mul_lo_u32 v0, v1, v2");
  Register("v_mad_u64_u32 v[0:1], s[0:1], v2, v3, v[4:5]");
  Register("v_lshl_add_u64 v[0:1], v[2:3], 2, v[4:5]");
  Register("v_cmp_lt_u32_e32 vcc, v0, v1");
  Register("v_cndmask_b32_e32 v0, v1, v2, vcc");
  Register("v_cvt_f16_f32_e32 v0, v1");
  Register("v_pk_fma_f16 v0, v1, v2, v3");
  Register("v_exp_f32_e32 v0, v1");
  Register("v_add_f32_dpp v0, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf");
  Register("v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf");
}

void RegisterMemories() {
  for (const auto& [width, bytes] :
       {std::pair("ubyte", 1u), {"ushort", 2u}, {"dword", 4u}, {"dwordx2", 8u}, {"dwordx4", 16u}}) {
    const std::string data = bytes <= 4 ? "v0" : bytes == 8 ? "v[0:1]" : "v[0:3]";
    const std::string store = bytes == 1 ? "byte" : bytes == 2 ? "short" : width;
    const std::string w = width;
    RegisterMemory("global_load_" + w + " " + data + ", v[12:13], off", bytes);
    RegisterMemory("global_store_" + store + " v[12:13], " + data + ", off", bytes);
    RegisterMemory("buffer_load_" + w + " " + data + ", v10, s[8:11], 0 offen", bytes);
    const std::string lds = bytes == 1   ? "u8"
                            : bytes == 2 ? "u16"
                                         : "b" + std::to_string(8 * bytes);
    RegisterMemory("ds_read_" + lds + " " + data + ", v10", bytes);
    RegisterMemory("ds_write_b" + std::to_string(8 * bytes) + " v10, " + data, bytes);
  }
  RegisterMemory("ds_read2_b64 v[0:3], v10 offset0:0 offset1:40", 8);
  RegisterMemory("ds_add_u32 v10, v0", 4);
  RegisterMemory("ds_add_rtn_f32 v1, v10, v0", 4);
  RegisterMemory("global_atomic_add v[12:13], v0, off", 4);
  RegisterMemory("global_atomic_add_f32 v[12:13], v0, off", 4);
  RegisterMemory("ds_bpermute_b32 v0, v10, v1", 4);
  RegisterMemory("ds_permute_b32 v0, v10, v1", 4);
  RegisterMemory("ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,16)", 4);
}

constexpr double kLarge = 2.0 * 32 * 32, kSmall = 2.0 * 16 * 16;  // operations of a k

void RegisterMfma() {
  Register("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", kLarge * 8);
  Register("v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]", kSmall * 16);
  Register("v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[2:3], a[0:15]", kLarge * 8);
  Register("v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, a[0:15]", kLarge * 2);
  Register("v_mfma_i32_32x32x16_i8 a[0:15], v[0:1], v[2:3], a[0:15]", kLarge * 16);
  Register("v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[0:1], v[2:3], a[0:15]", kLarge * 16);
  Register("v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7]", kSmall * 4);
  Register("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", kLarge * 8, "gfx942",
           MatrixMode::kExact);
  Register("v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[2:3], a[0:15]", kLarge * 8, "gfx942",
           MatrixMode::kExact);
  Register("v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[0:1], v[2:3], a[0:15]", kLarge * 16, "gfx942",
           MatrixMode::kExact);
  Register("v_mfma_f32_16x16x32_f16 a[0:3], v[0:3], v[4:7], a[0:3]", kSmall * 32, "gfx950");
  Register("v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3]", kSmall * 128, "gfx950");
  Register(
      "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:11], a[0:3], v16, v17 "
      "op_sel_hi:[0,0,0] cbsz:4 blgp:4",
      kSmall * 128, "gfx950");
}

/// Instructions of targets whose waves have 32 lanes.
void RegisterRdna() {
  Register("s_add_u32 s0, s0, s1", 0, "gfx1100");
  Register("v_add_nc_u32_e32 v0, v1, v2", 0, "gfx1100");
  Register("v_fma_f32 v0, v1, v2, v3", 0, "gfx1100");
  Register("v_dual_fmac_f32 v0, v1, v2 :: v_dual_add_f32 v5, v6, v7", 0, "gfx1100");
  Register("v_cmp_lt_u32_e32 vcc_lo, v0, v1", 0, "gfx1100");
  Register("v_pk_fma_f16 v0, v1, v2, v3", 0, "gfx1201");
  Register("v_exp_f32_e32 v0, v1", 0, "gfx1201");
  Register("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", kSmall * 16, "gfx1100");
  Register("v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[16:19], v[0:7]", kSmall * 16, "gfx1201");
  Register("v_wmma_i32_16x16x16_iu8 v[0:7], v[8:9], v[16:17], v[0:7]", kSmall * 16, "gfx1201");
}

void RegisterAll() {
  RegisterAlu();
  RegisterMemories();
  RegisterMfma();
  RegisterRdna();
}

}  // namespace
}  // namespace gridwise::sim

int main(int argc, char** argv) {
  gridwise::sim::RegisterAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
