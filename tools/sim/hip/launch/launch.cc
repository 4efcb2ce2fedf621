// SPDX-License-Identifier: MIT
#include "tools/sim/hip/launch/launch.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
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
#include "tools/sim/hip/launch/launch_record.h"
#include "tools/sim/hip/module/module.h"
#include "tools/sim/machine/bank_probe.h"
#include "tools/sim/machine/dispatch.h"
#include "tools/sim/machine/wave_sync.h"
#include "tools/sim/memory/memory.h"
#include "tools/sim/time/machine/machine.h"
#include "tools/sim/time/session/port_count.h"
#include "tools/sim/time/session/session.h"
#include "tools/sim/view/coverage_probe.h"
#include "tools/sim/view/inspect.h"
#include "tools/sim/wave/wave.h"

namespace gridwise::sim {
namespace {

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
absl::StatusOr<Hostcall*> FindHostcall(const KernelInfo& kernel, Device& device) {
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

// The grid's barrier on targets whose device library synchronises waves by resource 0 instead of by
// memory; it counts the workgroups that are still to arrive (ROCclr, __amd_rocclr_gwsInit).
void InitWaveSync(WaveSync& wave_sync, uint32_t workgroups) {
  uint32_t ticket = 0;
  wave_sync.Do(WaveSyncOperation::kInit, 0, workgroups - 1, ticket);
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
  LaunchRecord& record = LaunchRecord::Process();
  if (record.count_bank_conflicts) options.probes.push_back(&banks);
  std::optional<CoverageProbe> coverage;
  if (CoverageRecord* const executed = CoverageRecord::Process())
    options.probes.push_back(&coverage.emplace(*executed, *module.object, module.source_line));
  std::optional<InspectProbe> inspect;
  Inspection* const inspection = Inspection::Process();
  if (inspection != nullptr && inspection->Concerns(kernel.shown_name))
    options.probes.push_back(&inspect.emplace(*inspection, module.source_line));
  if (settings.on() || !settings.deferred) options.seed = settings.seed;
  options.progress = [&record](int64_t done, int64_t total) {
    record.progress_done = done;
    record.progress_total = total;
  };
  if (hostcall != nullptr) {
    options.interrupt = [hostcall] {
      serves_kernel = true;
      const absl::Cleanup served = [] { serves_kernel = false; };
      return hostcall->Serve();
    };
  }
  const time::Machine& machine = time::MachineOfDevice(module.device->facts);
  std::optional<time::PortCount> port_count;
  if (record.count_ports && !settings.on() && !time::On())
    options.probes.push_back(&port_count.emplace(machine, *module.program, kernel, grid).probe());
  absl::StatusOr<RunReport> report =
      time::On() ? time::Launch(machine, *module.program, kernel, grid, arguments, *kernarg, memory,
                                options, module.source_line)
                 : Run(*module.program, kernel, grid, *kernarg, memory, options);
  if (hostcall != nullptr) hostcall->EndLaunch();
  {
    const std::lock_guard lock(record.mutex);
    if (port_count && report.ok()) record.AddPorts(machine, port_count->Result(*report));
    for (const BankConflictReport& found : banks.conflicts())
      record.conflicts.emplace_back(kernel.name, found);
  }
  absl::Status freed = memory.Free(*kernarg);
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
  const auto workgroups = static_cast<uint64_t>(grid.CountWorkgroups());
  if (grid.cooperative) InitWaveSync(device.wave_sync, static_cast<uint32_t>(workgroups));
  GridBarrier barrier;
  barrier.workgroups = static_cast<uint32_t>(workgroups);
  barrier.items = workgroups * grid.block[0] * grid.block[1] * grid.block[2];
  const absl::Status shown = device.memory.Register(&barrier, sizeof(barrier), "grid barrier");
  if (!shown.ok()) return Report(hipErrorUnknown, shown);
  const auto hide = absl::MakeCleanup([&] { device.memory.Unregister(&barrier).IgnoreError(); });
  const absl::StatusOr<Hostcall*> hostcall = FindHostcall(kernel, device);
  if (!hostcall.ok()) return Report(hipErrorOutOfMemory, hostcall.status());
  HiddenAddresses addresses = {.grid_barrier = reinterpret_cast<uint64_t>(&barrier),
                               .printf_buffer = device.printf_buffer};
  if (*hostcall != nullptr) {
    addresses.hostcall = (*hostcall)->buffer();
    addresses.heap = (*hostcall)->heap();
  }
  std::vector<std::byte> kernarg = operation.arguments;
  FillHiddenArguments(kernel, grid, addresses, kernarg);
  LaunchRecord& record = LaunchRecord::Process();
  record.progress_done = 0;
  record.progress_total = workgroups;
  const absl::StatusOr<RunReport> report = RunKernel(module, kernel, grid, kernarg, *hostcall);
  if (!report.ok()) {
    device.fault.store(FaultErrorOf(report.status()));
    return Report(device.fault, report.status());
  }
  record.Add(*report);
  return Report(hipSuccess);
}

}  // namespace gridwise::sim
