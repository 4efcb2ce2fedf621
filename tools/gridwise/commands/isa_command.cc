// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/isa_command.h"

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/text/nearest.h"
#include "gridwise/instances.h"
#include "tools/gridwise/problem/problem_request.h"
#include "tools/gridwise/run/demand.h"
#include "tools/isa_report/kernel_code.h"
#include "tools/isa_report/main_loop.h"

namespace gridwise {
namespace {

/// Returns the instances that match the options.
absl::StatusOr<std::vector<InstanceInfo>> FindInstances(const IsaOptions& options) {
  const absl::StatusOr<Gfx> gfx = ParseTarget(options.device);
  if (!gfx.ok()) return gfx.status();
  std::optional<Direction> direction;
  std::vector<InstanceInfo> all = ListGemmInstances();
  if (options.direction != "gemm") {
    if (!options.direction.empty()) {
      const absl::StatusOr<Direction> parsed = ParseDirectionWord(options.direction);
      if (!parsed.ok()) return parsed.status();
      direction = *parsed;
      all.clear();
      if (absl::Status status = AddInstanceOnDemand(options.program, options.family,
                                                    options.instance, *direction, *gfx);
          !status.ok()) {
        return status;
      }
    }
    const std::vector<InstanceInfo> instances = ListInstances();
    all.insert(all.begin(), instances.begin(), instances.end());
  }
  std::vector<InstanceInfo> instances;
  std::vector<std::string_view> names;
  for (const InstanceInfo& instance : all) {
    if (instance.gfx != *gfx || (direction && instance.direction != *direction)) continue;
    if (!options.family.empty() && instance.family != options.family) continue;
    names.push_back(instance.name);
    if (instance.name == options.instance) instances.push_back(instance);
  }
  if (!instances.empty()) return instances;
  return absl::InvalidArgumentError(
      absl::StrFormat("--instance is '%s'; must be one of %s", options.instance,
                      names.empty() ? "no instance: none fits the other flags"
                                    : NearestList(options.instance, names)));
}

void PrintLoop(const std::optional<MainLoop>& loop) {
  if (!loop) {
    absl::PrintF("main loop  none\n");
    return;
  }
  absl::PrintF(
      "main loop  pc %#x to %#x: %d matrix, %d vector ALU (%d of them multiply-adds), %d scalar "
      "ALU, %d LDS, %d global memory instructions\n",
      loop->begin, loop->end, loop->matrix, loop->valu, loop->fma, loop->salu, loop->lds,
      loop->vmem);
}

absl::Status Print(const InstanceInfo& instance, KernelCodes& codes) {
  const absl::StatusOr<const sim::KernelInfo*> kernel = codes.Find(instance);
  if (!kernel.ok()) return kernel.status();
  const absl::StatusOr<std::vector<CodeLine>> lines = Disassemble(**kernel, instance.gfx);
  if (!lines.ok()) return lines.status();
  const std::optional<MainLoop> loop = FindMainLoop(*lines);
  const sim::KernelInfo& info = **kernel;
  absl::PrintF("instance   %s (%s) %s %s\n", instance.name, instance.family,
               Name(instance.direction), Name(instance.gfx));
  absl::PrintF("symbol     %s\n", info.name);
  absl::PrintF("registers  %d VGPRs, %d of them AGPRs; %d SGPRs; %d VGPRs and %d SGPRs spilled\n",
               info.vgprs, info.agprs, info.sgprs, info.vgpr_spills, info.sgpr_spills);
  absl::PrintF("memory     %d bytes of LDS, %d of scratch a work-item\n", info.static_lds_bytes,
               info.private_bytes);
  absl::PrintF("code       %d bytes, %d instructions\n", info.code_bytes, lines->size());
  PrintLoop(loop);
  absl::PrintF("\n");
  for (const CodeLine& line : *lines) {
    const bool in_loop = loop && line.pc >= loop->begin && line.pc < loop->end;
    absl::PrintF("%s %5x  %s\n", in_loop ? "|" : " ", line.pc, line.text);
  }
  return absl::OkStatus();
}

}  // namespace

ExitCode IsaCommand(const IsaOptions& options) {
  const absl::StatusOr<std::vector<InstanceInfo>> instances = FindInstances(options);
  absl::Status status = instances.status();
  KernelCodes codes;
  for (size_t i = 0; status.ok() && i < instances->size(); ++i) {
    if (i > 0) absl::PrintF("\n");
    status = Print((*instances)[i], codes);
  }
  return status.ok() ? kSuccess : Fail(status);
}

}  // namespace gridwise
