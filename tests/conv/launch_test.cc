// SPDX-License-Identifier: MIT
// What Executable promises of a launch: no allocation, no copy from the host, one module per code
// object, work that a graph can capture and that outlives the plan.

#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/status.h"
#include "core/runtime/stream.h"
#include "gmock/gmock.h"
#include "gridwise/conv.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "tests/conv/conv_case.h"

namespace {

/// What this thread has done since Watch began, but for what HIP's own library does.
struct Watch {
  bool on = false;
  int allocations = 0, launches = 0, copies = 0, module_loads = 0;
};
thread_local Watch watch;

/// Does not watch while it lives: HIP's library may allocate.
class Pause {
 public:
  Pause() : was_on_(std::exchange(watch.on, false)) {}
  ~Pause() { watch.on = was_on_; }

 private:
  const bool was_on_;
};

}  // namespace

void* operator new(std::size_t bytes) {
  if (watch.on) ++watch.allocations;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// The linker has calls of these functions call __wrap_ (option --wrap).
extern "C" {
hipError_t __real_hipModuleLaunchKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned,
                                        unsigned, unsigned, unsigned, hipStream_t, void**, void**);
hipError_t __wrap_hipModuleLaunchKernel(hipFunction_t kernel, unsigned x, unsigned y, unsigned z,
                                        unsigned block_x, unsigned block_y, unsigned block_z,
                                        unsigned lds, hipStream_t stream, void** arguments,
                                        void** extra) {
  ++watch.launches;
  const Pause pause;
  return __real_hipModuleLaunchKernel(kernel, x, y, z, block_x, block_y, block_z, lds, stream,
                                      arguments, extra);
}
hipError_t __real_hipMemsetAsync(void*, int, std::size_t, hipStream_t);
hipError_t __wrap_hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream) {
  const Pause pause;
  return __real_hipMemsetAsync(to, value, bytes, stream);
}
hipError_t __real_hipMemcpy(void*, const void*, std::size_t, hipMemcpyKind);
hipError_t __wrap_hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  ++watch.copies;
  const Pause pause;
  return __real_hipMemcpy(to, from, bytes, kind);
}
hipError_t __real_hipMemcpyAsync(void*, const void*, std::size_t, hipMemcpyKind, hipStream_t);
hipError_t __wrap_hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                                 hipStream_t stream) {
  ++watch.copies;
  const Pause pause;
  return __real_hipMemcpyAsync(to, from, bytes, kind, stream);
}
hipError_t __real_hipModuleLoadData(hipModule_t*, const void*);
hipError_t __wrap_hipModuleLoadData(hipModule_t* module, const void* image) {
  ++watch.module_loads;
  const Pause pause;
  return __real_hipModuleLoadData(module, image);
}
}

namespace gridwise {
namespace {

/// 36 sub-GEMMs: more than travel in the arguments.
ConvProblem ManySubGemms() {
  const Dim dim = {.in = 14, .filter = 6, .stride = 6};
  return {.direction = Direction::kBackwardData,
          .batch = 1,
          .c = 32,
          .k = 32,
          .dims = {Dim{}, dim, dim}};
}

/// A launch, its passes before and after, and the sum of splits.
ConvProblem ChannelsFirst() {
  const Dim dim = {.in = 9, .filter = 3, .pad_begin = 1, .pad_end = 1};
  ConvProblem problem = {.batch = 2, .c = 32, .k = 32, .dims = {Dim{}, dim, dim}};
  problem.layout = Layout::kNGCHW;
  return problem;
}

class LaunchTest : public testing::Test {
 protected:
  void SetUp() override {
    const absl::StatusOr<Gfx> gfx = UseTestTarget();
    ASSERT_TRUE(gfx.ok()) << gfx.status();
    gfx_ = *gfx;
  }

  /// Checks `problem`, launched by `launch(executable, tensors, workspace, bytes)` that ends with
  /// the work done.
  template <class Launch>
  absl::Status Check(const ConvProblem& problem, const PlanOptions& options, Launch launch) {
    absl::StatusOr<ConvCase> made = ConvCase::Make(problem, /*seed=*/3);
    if (!made.ok()) return made.status();
    return made->Check([&](const ConvTensors& tensors) -> absl::Status {
      absl::StatusOr<Plan> plan = MakePlan(problem, gfx_, options);
      if (!plan.ok()) return plan.status();
      const auto workspace = DeviceBuffer::Allocate(plan->workspace_bytes());
      if (!workspace.ok()) return workspace.status();
      absl::StatusOr<Executable> executable = Executable::Load(*plan);
      if (!executable.ok()) return executable.status();
      plan = absl::CancelledError("the executable has what it needs of it");
      return launch(*executable, tensors, workspace->data(), workspace->bytes());
    });
  }

  Gfx gfx_ = Gfx::k942;
};

TEST_F(LaunchTest, AllocatesNothingAndCopiesNothing) {
  for (const ConvProblem& problem : {ManySubGemms(), ChannelsFirst()}) {
    const absl::Status status = Check(problem, {.splits = 2, .atomic = true},
                                      [](const Executable& executable, const ConvTensors& tensors,
                                         void* workspace, std::int64_t bytes) {
                                        watch = {.on = true};
                                        absl::Status launched =
                                            executable.Launch(tensors, workspace, bytes, nullptr);
                                        watch.on = false;
                                        EXPECT_GT(watch.launches, 0);
                                        EXPECT_EQ(watch.allocations, 0);
                                        EXPECT_EQ(watch.copies, 0);
                                        EXPECT_EQ(watch.module_loads, 0);
                                        if (!launched.ok()) return launched;
                                        return SynchronizeDevice();
                                      });
    EXPECT_TRUE(status.ok()) << status;
  }
}

// Few elements of many splits, which groups of lanes share: of the filter's 135 the last three are
// no run, and an epilogue follows.
TEST_F(LaunchTest, AddsUpManySplits) {
  const Dim dim = {.in = 19, .filter = 3, .pad_begin = 1, .pad_end = 1};
  ConvProblem problem = {.direction = Direction::kBackwardWeight,
                         .batch = 16,
                         .c = 3,
                         .k = 5,
                         .dims = {Dim{}, dim, dim}};
  problem.epilogue.alpha = 0.5;
  for (const int splits : {1, 16, 17, 40}) {
    const PlanOptions options = {.splits = splits};
    const absl::StatusOr<Plan> plan = MakePlan(problem, gfx_, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->splits(), splits);
    const absl::Status status = Check(problem, options,
                                      [](const Executable& executable, const ConvTensors& tensors,
                                         void* workspace, std::int64_t bytes) {
                                        absl::Status launched =
                                            executable.Launch(tensors, workspace, bytes, nullptr);
                                        if (!launched.ok()) return launched;
                                        return SynchronizeDevice();
                                      });
    EXPECT_TRUE(status.ok()) << splits << " splits: " << status;
  }
}

TEST_F(LaunchTest, TheWatchSeesAllocations) {
  watch = {.on = true};
  auto memory = std::make_unique<int>(1);
  watch.on = false;
  EXPECT_EQ(watch.allocations, *memory);
}

// A graph is launched when everything of the host that the capture saw is gone, and twice.
TEST_F(LaunchTest, IsCapturedInAGraph) {
  const absl::Status status = Check(
      ManySubGemms(), {},
      [](const Executable& executable, const ConvTensors& tensors, void* workspace,
         std::int64_t bytes) -> absl::Status {
        const absl::StatusOr<Stream> stream = Stream::Create();
        if (!stream.ok()) return stream.status();
        hipGraph_t graph = nullptr;
        hipGraphExec_t instance = nullptr;
        EXPECT_EQ(hipStreamBeginCapture(stream->get(), hipStreamCaptureModeGlobal), hipSuccess);
        absl::Status launched = executable.Launch(tensors, workspace, bytes, stream->get());
        EXPECT_EQ(hipStreamEndCapture(stream->get(), &graph), hipSuccess);
        if (!launched.ok()) return launched;
        EXPECT_EQ(hipGraphInstantiate(&instance, graph, nullptr, nullptr, 0), hipSuccess);
        EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
        for (int i = 0; i < 2; ++i) EXPECT_EQ(hipGraphLaunch(instance, stream->get()), hipSuccess);
        const absl::Status finished = stream->Synchronize();
        EXPECT_EQ(hipGraphExecDestroy(instance), hipSuccess);
        return finished;
      });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(LaunchTest, ModulesAreLoadedOnce) {
  const absl::StatusOr<Plan> plan = MakePlan(ChannelsFirst(), gfx_);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_GT(plan->launches(), 1);
  ASSERT_TRUE(Executable::Load(*plan).ok());
  watch = {};
  std::optional<Executable> kept;
  for (int i = 0; i < 3; ++i) {
    absl::StatusOr<Executable> executable = Executable::Load(*plan);
    ASSERT_TRUE(executable.ok()) << executable.status();
    kept = *std::move(executable);
  }
  EXPECT_EQ(watch.module_loads, 0);
  // Until the device is reset, which unloads them.
  kept.reset();
  ASSERT_TRUE(ResetDevice().ok());
  ASSERT_TRUE(Executable::Load(*plan).ok());
  EXPECT_GT(watch.module_loads, 0);
}

}  // namespace
}  // namespace gridwise
