// SPDX-License-Identifier: MIT
/// What a framework does with plans: one process measures which kernel is fastest and keeps the
/// answer in a file; another one finds it there and computes.
///
///   tune_test              both, as processes of their own
///   tune_test tune FILE    tune_test load FILE

#include "gridwise/tune.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"
#include "core/conv/problem.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/stream.h"
#include "gridwise/conv.h"
#include "gridwise/plan_cache.h"

extern char** environ;

namespace {

constexpr uint16_t kOne = 0x3c00, kSixteen = 0x4c00;  // in f16

/// A 1x1 convolution of 16 channels: of ones, 16 everywhere.
gridwise::ConvProblem Problem() {
  gridwise::ConvProblem problem{.batch = 2, .c = 16, .k = 24};
  problem.dims[1].in = problem.dims[2].in = 5;
  return problem;
}

/// The tensors on the device, x and w of ones.
struct Tensors {
  gridwise::DeviceBuffer x, w, y;
  gridwise::ConvTensors addresses() const {
    return {.a = x.data(), .b = w.data(), .out = y.data()};
  }
};

absl::StatusOr<Tensors> MakeTensors() {
  const auto ones = [](int64_t elements) {
    const std::vector<uint16_t> data(static_cast<size_t>(elements), kOne);
    return gridwise::DeviceBuffer::CopyOf(std::as_bytes(std::span(data)));
  };
  auto x = ones(Problem().x_elements()), w = ones(Problem().w_elements());
  auto y = ones(Problem().y_elements());
  if (!x.ok()) return x.status();
  if (!w.ok()) return w.status();
  if (!y.ok()) return y.status();
  return Tensors{*std::move(x), *std::move(w), *std::move(y)};
}

absl::Status Tune(gridwise::PlanCache& cache, const Tensors& tensors) {
  const auto result = gridwise::Tune(Problem(), tensors.addresses(), {.plans = 3});
  if (!result.ok()) return result.status();
  for (const gridwise::PlanTime& time : result->plans) {
    std::printf("%9.4f ms of the %s clock: %s\n", time.milliseconds, Name(result->clock),
                time.plan.instance().c_str());
  }
  return cache.Store(result->best());
}

absl::Status Load(const gridwise::PlanCache& cache, const Tensors& tensors,
                  const gridwise::DeviceFacts& device) {
  const std::optional<gridwise::Plan> plan = cache.Find(Problem(), device);
  if (!plan) return absl::NotFoundError("the other process's plan is not there");
  std::printf("found %s\n", plan->instance().c_str());
  const auto conv = gridwise::Executable::Load(*plan);
  if (!conv.ok()) return conv.status();
  const auto workspace = gridwise::DeviceBuffer::Allocate(plan->workspace_bytes());
  if (!workspace.ok()) return workspace.status();
  absl::Status status = conv->Launch(tensors.addresses(), workspace->data(), workspace->bytes(),
                                     /*stream=*/nullptr);
  if (!status.ok()) return status;
  if (status = gridwise::SynchronizeDevice(); !status.ok()) return status;
  std::vector<uint16_t> y(static_cast<size_t>(Problem().y_elements()));
  status = tensors.y.CopyToHost(std::as_writable_bytes(std::span(y)));
  if (!status.ok()) return status;
  for (const uint16_t element : y) {
    if (element != kSixteen) return absl::InternalError("y is not 16 everywhere");
  }
  return absl::OkStatus();
}

absl::Status Run(const std::string& step, const std::string& path) {
  const auto device = gridwise::FindDevice("gfx942");
  if (!device.ok()) return device.status();
  if (absl::Status status = gridwise::UseDevice(*device); !status.ok()) return status;
  const auto facts = device->Facts();
  if (!facts.ok()) return facts.status();
  const auto tensors = MakeTensors();
  if (!tensors.ok()) return tensors.status();
  const auto cache = gridwise::PlanCache::Open(path);
  if (!cache.ok()) return cache.status();
  for (const std::string& line : (*cache)->skipped()) return absl::FailedPreconditionError(line);
  return step == "tune" ? Tune(**cache, *tensors) : Load(**cache, *tensors, *facts);
}

/// This program with other arguments, as a process of its own; its exit status.
int Spawn(const char* step, const std::string& path) {
  std::string words[] = {"tune_test", step, path};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ) != 0) return -1;
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) {
    const absl::Status status = Run(argv[1], argv[2]);
    std::printf("%s: %s\n", argv[1], status.ToString().c_str());
    return status.ok() ? 0 : 1;
  }
  const char* const folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder == nullptr ? "/tmp" : folder) + "/plans.txt";
  if (Spawn("load", path) == 0) return 1;  // there is none yet
  return Spawn("tune", path) == 0 && Spawn("load", path) == 0 ? 0 : 1;
}
