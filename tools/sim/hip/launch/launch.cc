#include "tools/sim/hip/launch/launch.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "core/base/math.h"
#include "hip/hip_runtime_api.h"
#include "tools/sim/check/checker.h"
#include "tools/sim/check/device_bytes.h"
#include "tools/sim/check/finding.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/hip/device/runtime.h"
#include "tools/sim/hip/host/hostcall.h"
#include "tools/sim/hip/launch/arguments.h"
#include "tools/sim/hip/module/module.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/hip/stream/queue.h"
#include "tools/sim/isa/bind/matrix_mode.h"
#include "tools/sim/machine/bank_probe.h"
#include "tools/sim/machine/dispatch.h"
#include "tools/sim/machine/fidelity.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/time/engine/resource.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/session/port_count.h"
#include "tools/sim/time/session/session.h"
#include "tools/sim/view/coverage_probe.h"
#include "tools/sim/view/inspect.h"
#include "tools/sim/wave/uop.h"

// Executing a launch. The functions of sim_extension.h are here as well: they are weak references
// in programs, which do not pull an object out of an archive, and every program that wants them
// launches kernels.

namespace gridwise::sim {
namespace {

std::atomic<uint64_t> progress_done = 0;
std::atomic<uint64_t> progress_total = 0;
std::mutex runs_mutex;
RunReport runs;  // of all launches since they were last taken
int64_t launches = 0;
time::RunMs ports_ms;
double max_ports_ms = 0;  // of a launch
const char* ports = "";   // of that launch
std::atomic<bool> count_bank_conflicts = false, count_ports = false;
// By launch and instruction: the kernel, and what was counted.
std::deque<std::pair<std::string, BankConflictReport>> counted;

thread_local bool serves_kernel = false;  // what runs here was called by a kernel

// Host threads of a launch: GRIDWISE_SIM_THREADS, or (0) all processors.
int Threads() {
  const char* text = std::getenv("GRIDWISE_SIM_THREADS");
  int threads = 0;
  return text != nullptr && absl::SimpleAtoi(text, &threads) && threads > 0 ? threads : 0;
}

// Compilers load arguments in vectors of up to 16 bytes, also where the last ends after them.
constexpr size_t kKernargAlignment = 16;

// Whom the kernel's code can ask for services of the host; null if it asks for none.
absl::StatusOr<Hostcall*> HostcallOf(const KernelInfo& kernel, Device& device) {
  const bool asks = std::any_of(kernel.args.begin(), kernel.args.end(), [](const KernelArg& arg) {
    return arg.value_kind == "hidden_hostcall_buffer" || arg.value_kind == "hidden_heap_v1";
  });
  if (!asks) return nullptr;
  if (device.hostcall == nullptr) {
    absl::StatusOr<std::unique_ptr<Hostcall>> created = Hostcall::Create(device.memory);
    if (!created.ok()) return created.status();
    device.hostcall = *std::move(created);
  }
  return device.hostcall.get();
}

// Adds a launch's ports to those that are taken next. runs_mutex is held.
void AddPorts(const time::Machine& machine, const time::Bound& bound) {
  const time::RunMs ms = bound.Ms(machine);
  ports_ms += ms;
  if (ms.sustained() <= max_ports_ms) return;
  max_ports_ms = ms.sustained();
  ports = time::Name(bound.Sustained(machine)).data();
}

// Runs the kernel with its arguments in memory of their own, so that reading past them is found.
absl::StatusOr<RunReport> RunKernel(ihipModule_t& module, const KernelInfo& kernel,
                                    const Grid& grid, const std::vector<std::byte>& arguments,
                                    Hostcall* hostcall) {
  Memory& memory = module.device->memory;
  const absl::StatusOr<void*> kernarg =
      memory.Allocate(AlignUp(arguments.size(), kKernargAlignment), "kernel argument segment");
  if (!kernarg.ok()) return kernarg.status();
  std::memcpy(*kernarg, arguments.data(), arguments.size());
  RunOptions options;
  options.threads = Threads();
  options.stack_limit = module.device->stack_limit;
  options.wave_sync = &module.device->wave_sync;
  const CheckSettings settings = CurrentCheckSettings();
  if (!settings.Has(Category::kUninit)) DeviceBytes::Process().Forget();
  CheckProbe check(settings, module.source_line);
  if (settings.on()) options.probes.push_back(&check);
  BankProbe banks;
  if (count_bank_conflicts) options.probes.push_back(&banks);
  std::optional<CoverageProbe> coverage;
  if (CoverageRecord* const record = CoverageRecord::Process())
    options.probes.push_back(&coverage.emplace(*record, *module.object, module.source_line));
  std::optional<InspectProbe> inspect;
  Inspection* const inspection = Inspection::Process();
  if (inspection != nullptr && inspection->Concerns(kernel.shown_name))
    options.probes.push_back(&inspect.emplace(*inspection, module.source_line));
  if (settings.on() || !settings.deferred) options.seed = settings.seed;
  options.progress = [](int64_t done, int64_t total) {
    progress_done = done;
    progress_total = total;
  };
  if (hostcall != nullptr) {
    options.interrupt = [hostcall] {
      serves_kernel = true;
      const absl::Cleanup served = [] { serves_kernel = false; };
      return hostcall->Serve();
    };
  }
  const time::Machine& machine = time::MachineOfDevice(module.program->target().gfx);
  std::optional<time::PortCount> port_count;
  if (count_ports && !settings.on() && !time::On())
    options.probes.push_back(&port_count.emplace(machine, *module.program, kernel, grid).probe());
  absl::StatusOr<RunReport> report =
      time::On() ? time::Launch(*module.program, kernel, grid, arguments, *kernarg, memory, options,
                                module.source_line)
                 : Run(*module.program, kernel, grid, *kernarg, memory, options);
  if (hostcall != nullptr) hostcall->EndLaunch();
  {
    const std::lock_guard lock(runs_mutex);
    if (port_count && report.ok()) AddPorts(machine, port_count->Result(*report));
    for (const BankConflictReport& found : banks.conflicts())
      counted.emplace_back(kernel.name, found);
  }
  const absl::Status freed = memory.Free(*kernarg);
  if (report.ok() && !freed.ok()) return freed;
  return report;
}

// The HIP error of a kernel that did not run to its end: Run says OutOfRange of a bad address.
hipError_t FaultErrorOf(const absl::Status& status) {
  return absl::IsOutOfRange(status) ? hipErrorIllegalAddress : hipErrorLaunchFailure;
}

}  // namespace

void WaitForKernel(Device& device) {
  if (!serves_kernel) const std::lock_guard running(device.launch);
}

hipError_t ExecuteKernel(const KernelOperation& operation) {
  // The module may have been unloaded since a graph recorded this.
  if (!IsFunction(operation.function)) return Report(hipErrorInvalidResourceHandle);
  ihipModule_t& module = *operation.function->module;
  const KernelInfo& kernel = *operation.function->kernel;
  const Grid& grid = operation.grid;
  Device& device = *module.device;
  std::lock_guard lock(device.launch);
  if (device.fault != hipSuccess) return Report(device.fault);
  const uint64_t workgroups =
      uint64_t{grid.workgroups[0]} * grid.workgroups[1] * grid.workgroups[2];
  GridBarrier barrier;
  barrier.workgroups = static_cast<uint32_t>(workgroups);
  barrier.items = workgroups * grid.block[0] * grid.block[1] * grid.block[2];
  const absl::Status shown = device.memory.Register(&barrier, sizeof(barrier), "grid barrier");
  if (!shown.ok()) return Report(hipErrorUnknown, shown);
  const auto hide = absl::MakeCleanup([&] { device.memory.Unregister(&barrier).IgnoreError(); });
  const absl::StatusOr<Hostcall*> hostcall = HostcallOf(kernel, device);
  if (!hostcall.ok()) return Report(hipErrorOutOfMemory, hostcall.status());
  HiddenAddresses addresses = {.grid_barrier = reinterpret_cast<uint64_t>(&barrier),
                               .printf_buffer = device.printf_buffer};
  if (*hostcall != nullptr) {
    addresses.hostcall = (*hostcall)->buffer();
    addresses.heap = (*hostcall)->heap();
  }
  std::vector<std::byte> kernarg = operation.arguments;
  FillHiddenArguments(kernel, grid, addresses, kernarg);
  progress_done = 0;
  progress_total = workgroups;
  const absl::StatusOr<RunReport> report = RunKernel(module, kernel, grid, kernarg, *hostcall);
  if (!report.ok()) {
    device.fault.store(FaultErrorOf(report.status()));
    return Report(device.fault, report.status());
  }
  std::lock_guard runs_lock(runs_mutex);
  for (int i = 0; i < kOpClasses; ++i) runs.instructions[i] += report->instructions[i];
  runs.waves += report->waves;
  runs.workgroups += report->workgroups;
  runs.seconds += report->seconds;
  runs.threads = std::max(runs.threads, report->threads);
  ++launches;
  return Report(hipSuccess);
}

}  // namespace gridwise::sim

using namespace gridwise::sim;

extern "C" {

int gridwiseSimIsTimed(void) { return time::On() ? 1 : 0; }

int gridwiseSimTakeRuns(GridwiseSimRuns* taken) {
  static_cast<void>(RunDeferred());
  std::lock_guard lock(runs_mutex);
  if (taken == nullptr || launches == 0) return 1;
  *taken = {.launches = launches,
            .workgroups = runs.workgroups,
            .waves = runs.waves,
            .seconds = runs.seconds,
            .threads = runs.threads,
            .class_names = {},
            .instructions = {},
            .ports_ms = ports_ms.sustained(),
            .ports = ports};
  static_assert(kOpClasses == GRIDWISE_SIM_CLASSES);
  for (int i = 0; i < kOpClasses; ++i) {
    taken->class_names[i] = gridwise::sim::Name(static_cast<OpClass>(i));
    taken->instructions[i] = runs.instructions[i];
  }
  runs = {};
  launches = 0;
  ports_ms = {};
  max_ports_ms = 0;
  ports = "";
  return 0;
}

void gridwiseSimCountPorts(int on) {
  static_cast<void>(RunDeferred());
  count_ports = on != 0;
}

void gridwiseSimCountBankConflicts(int on) {
  static_cast<void>(RunDeferred());
  std::lock_guard lock(runs_mutex);
  count_bank_conflicts = on != 0;
  counted.clear();
}

int gridwiseSimBankConflictsAt(int index, GridwiseSimBankConflicts* conflicts) {
  static_cast<void>(RunDeferred());
  std::lock_guard lock(runs_mutex);
  if (conflicts == nullptr || index < 0 || static_cast<size_t>(index) >= counted.size()) return 1;
  const auto& [kernel, found] = counted[static_cast<size_t>(index)];
  *conflicts = {.kernel = kernel.c_str(),
                .pc = found.pc,
                .executions = found.executions,
                .cycles = found.cycles};
  return 0;
}

void gridwiseSimProgress(uint64_t* done, uint64_t* total) {
  if (done != nullptr) *done = progress_done;
  if (total != nullptr) *total = progress_total;
}

void gridwiseSimTime(int mode) {
  static_cast<void>(RunDeferred());
  gridwise::sim::time::Set(mode != 0,
                           {.describes = mode == 2, .bare = mode >= 3, .quick = mode == 3});
  gridwise::sim::SetCapacities();
}

void gridwiseSimTimeLimit(double ms) {
  static_cast<void>(RunDeferred());
  gridwise::sim::time::SetLimit(ms);
}

int gridwiseSimTakeTimes(GridwiseSimTimes* times) {
  static_cast<void>(RunDeferred());
  const std::optional<gridwise::sim::time::Times> taken = gridwise::sim::time::TakeTimes();
  if (times == nullptr || !taken) return 1;
  *times = {.launches = taken->launches,
            .machine = taken->machine,
            .burst_mhz = taken->burst_mhz,
            .sustained_mhz = taken->sustained_mhz,
            .burst_ms = taken->ms.burst,
            .sustained_ms = taken->ms.sustained(),
            .low_ms = taken->low.sustained(),
            .high_ms = taken->high.sustained(),
            .ports_ms = taken->bound.sustained(),
            .ports = taken->ports,
            .limiter = taken->limiter,
            .gain = taken->gain,
            .given_up = taken->given_up ? 1 : 0};
  return 0;
}

const char* gridwiseSimLastFault(void) { return LastSentence(); }

void gridwiseSimSetExactMatrices(int exact) {
  static_cast<void>(RunDeferred());
  SetMatrixMode(exact != 0 ? MatrixMode::kExact : MatrixMode::kFast);
}

const char* gridwiseSimFidelity(void) {
  static_cast<void>(RunDeferred());
  thread_local std::string text;
  text = FidelityRecord::Process().Json();
  return text.c_str();
}

}  // extern "C"
