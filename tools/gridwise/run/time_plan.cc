// SPDX-License-Identifier: MIT
#include "tools/gridwise/run/time_plan.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/arch/target.h"
#include "core/reference/elements.h"
#include "core/reference/expected.h"
#include "core/reference/gemm_expected.h"
#include "core/runtime/buffer.h"
#include "core/runtime/device.h"
#include "core/runtime/stream.h"
#include "core/text/parse_device.h"
#include "gridwise/executable.h"
#include "tools/gridwise/cli/progress.h"
#include "tools/gridwise/run/computation.h"
#include "tools/gridwise/run/device_for.h"
#include "tools/gridwise/run/sim_report.h"

namespace gridwise {
namespace {

/// A loaded plan, and its memory.
struct Loaded {
  Executable executable;
  DeviceBuffer a = {}, b = {}, out = {}, d[2] = {}, added[2] = {}, workspace = {};
  Stream stream;

  absl::Status Launch() const {
    return executable.Launch({.a = a.data(),
                              .b = b.data(),
                              .out = out.data(),
                              .d0 = d[0].data(),
                              .d1 = d[1].data(),
                              .a1 = added[0].data(),
                              .b1 = added[1].data()},
                             workspace.data(), workspace.bytes(), stream.get());
  }
};

absl::StatusOr<DeviceBuffer> Allocate(int64_t elements, DataType type) {
  return DeviceBuffer::Allocate(elements * SizeOf(type));
}

template <class P>
absl::StatusOr<Loaded> Load(const P& problem, const InstancePlan& plan) {
  absl::StatusOr<Executable> executable = Executable::Load(plan);
  if (!executable.ok()) return executable.status();
  absl::StatusOr<Stream> stream = Stream::Create();
  if (!stream.ok()) return stream.status();
  Loaded loaded = {.executable = *std::move(executable), .stream = *std::move(stream)};
  const auto take = [](DeviceBuffer& to, absl::StatusOr<DeviceBuffer> buffer) -> absl::Status {
    if (!buffer.ok()) return buffer.status();
    to = *std::move(buffer);
    return absl::OkStatus();
  };
  absl::Status status;
  status.Update(take(loaded.a, Allocate(problem.a_elements(), problem.type)));
  status.Update(take(loaded.b, Allocate(problem.b_elements(), problem.type)));
  status.Update(take(loaded.out, Allocate(problem.out_elements(), problem.output_type())));
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    status.Update(
        take(loaded.d[i], Allocate(EpilogueElements(problem, i), problem.epilogue.d[i].type)));
  }
  for (const std::size_t i : {0u, 1u}) {
    if (!OperandSumsOf(problem)[i].adds) continue;
    status.Update(
        take(loaded.added[i],
             Allocate(i == 0 ? problem.a_elements() : problem.b_elements(), problem.type)));
  }
  status.Update(take(loaded.workspace, DeviceBuffer::Allocate(plan.workspace_bytes())));
  if (!status.ok()) return status;
  return loaded;
}

/// Fills operands with values as in a network, because the values affect the clock of a real
/// device.
template <class P>
absl::Status FillOperands(const P& problem, Gfx gfx, Loaded& loaded) {
  const Operands operands = RandomOperands(problem, gfx, /*seed=*/0);
  absl::Status status = loaded.a.CopyFromHost(Encode(problem.type, operands.a));
  status.Update(loaded.b.CopyFromHost(Encode(problem.type, operands.b)));
  for (int i = 0; i < problem.epilogue.tensors; ++i)
    status.Update(loaded.d[i].CopyFromHost(Encode(problem.epilogue.d[i].type, operands.d[i])));
  for (const std::size_t i : {0u, 1u}) {
    if (operands.added[i].empty()) continue;
    status.Update(loaded.added[i].CopyFromHost(Encode(problem.type, operands.added[i])));
  }
  return status;
}

absl::Status Repeat(const Loaded& loaded, int repeats) {
  absl::Status status;
  for (int i = 0; i < repeats; ++i) status.Update(loaded.Launch());
  return status;
}

absl::StatusOr<Timing> Measure(const Loaded& loaded, int repeats) {
  absl::StatusOr<Event> start = Event::Create(), end = Event::Create();
  absl::Status status = start.ok() ? end.status() : start.status();
  if (status.ok()) status = Repeat(loaded, repeats);
  if (status.ok()) status = start->Record(loaded.stream);
  if (status.ok()) status = Repeat(loaded, repeats);
  if (status.ok()) status = end->Record(loaded.stream);
  if (status.ok()) status = end->Synchronize();
  if (!status.ok()) return status;
  const absl::StatusOr<float> ms = end->MillisecondsSince(*start);
  if (!ms.ok()) return ms.status();
  return Timing{.ms = *ms / repeats, .measured = true};
}

/// Returns the times by the simulator's clock.
absl::StatusOr<Timing> AskClock(const Loaded& loaded, double limit_ms) {
  const Progress progress("timing a sample on the device", [] { return std::nullopt; });
  TakeSimTimes();  // discard earlier ones
  LimitSimTimes(limit_ms);
  absl::Status status = loaded.Launch();
  if (status.ok()) status = loaded.stream.Synchronize();
  if (!status.ok()) return status;
  const std::optional<SimTimes> times = TakeSimTimes();
  if (!times) return absl::InternalError("the simulator has timed no launch");
  return Timing{.ms = times->sustained_ms,
                .clock_ghz = times->burst_mhz * 1e-3 * times->burst_ms / times->sustained_ms,
                .low_ms = times->low_ms,
                .high_ms = times->high_ms,
                .burst_ms = times->burst_ms,
                .burst_ghz = times->burst_mhz * 1e-3,
                .ports_ms = times->ports_ms,
                .ports = times->ports,
                .limiter = times->limiter,
                .gain = times->gain,
                .launches = times->launches,
                .given_up = times->given_up,
                .matrix_ghz = times->sustained_mhz * 1e-3};
}

template <class P>
absl::StatusOr<Timing> MeasureTime(const P& problem, const InstancePlan& plan,
                                   const TimingOptions& options) {
  const absl::StatusOr<DeviceInfo> device = DeviceFor(plan.device());
  if (!device.ok()) return device.status();
  if (absl::Status status = UseDevice(*device); !status.ok()) return status;
  // This is before kernels are loaded, so that their source lines are loaded too.
  const bool simulated = StartSimTiming(options.simulated);
  absl::StatusOr<Loaded> loaded = Load(problem, plan);
  if (!loaded.ok()) return loaded.status();
  absl::StatusOr<Timing> timing;
  if (simulated) {
    NameSimLaunches(absl::StrCat(ToString(problem), " by ", plan.instance()));
    timing = AskClock(*loaded, options.limit_ms);
  } else {
    absl::Status status = FillOperands(problem, plan.device().gfx, *loaded);
    if (!status.ok()) return status;
    timing = Measure(*loaded, options.repeats);
    if (timing.ok()) {
      timing->clock_ghz = timing->matrix_ghz = plan.device().clock_ghz;
      timing->launches = plan.launches();
    }
  }
  if (!timing.ok()) return timing.status();
  if (!timing->measured) timing->note = CalibrationNote(plan.device());
  const RooflineWork work = CountRooflineWork(problem);
  timing->flops = work.flops;
  timing->roofline = ComputeRoofline(work, plan.device(), timing->matrix_ghz);
  return timing;
}

}  // namespace

absl::StatusOr<Timing> TimePlan(const Problem& problem, const InstancePlan& plan,
                                const TimingOptions& options) {
  return std::visit([&](const auto& p) { return MeasureTime(p, plan, options); }, problem);
}

}  // namespace gridwise
