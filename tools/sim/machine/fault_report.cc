// SPDX-License-Identifier: MIT
#include "tools/sim/machine/fault_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/sim/elf/code_object.h"
#include "tools/sim/isa/facts/facts.h"
#include "tools/sim/machine/program.h"
#include "tools/sim/memory/memory.h"

namespace gridwise::sim {

std::string Explain(const Wave& wave, const Launch& launch) {
  const Fault& fault = wave.fault;
  const Program::InstructionInfo info = launch.program->Describe(fault.uop->instruction);
  const KernelInfo& kernel = *launch.kernel;
  std::string text =
      absl::StrFormat("kernel %s, pc %s, '%s': workgroup (%u, %u, %u), wave %d", kernel.shown_name,
                      OffsetText(info.pc - kernel.entry_address), info.text, wave.workgroup_id[0],
                      wave.workgroup_id[1], wave.workgroup_id[2], wave.index_in_group);
  if (fault.lane >= 0) absl::StrAppend(&text, ", lane ", fault.lane);
  absl::StrAppend(&text, ": ", fault.what);
  if (!fault.has_address) return text;
  switch (fault.space) {
    case AddressSpace::kGlobal:
      absl::StrAppendFormat(&text, " (%u bytes): %s", fault.bytes,
                            launch.memory->Describe(fault.address, fault.bytes));
      break;
    case AddressSpace::kLds:
      absl::StrAppendFormat(&text, " (%u bytes at offset %d; the workgroup has %u bytes)",
                            fault.bytes, static_cast<int64_t>(fault.address), launch.lds_bytes);
      break;
    case AddressSpace::kScratch:
      absl::StrAppendFormat(
          &text, " (%u bytes at offset %d; a lane has %u bytes%s)", fault.bytes,
          static_cast<int64_t>(fault.address), wave.scratch_bytes,
          kernel.uses_dynamic_stack ? ", and more by hipDeviceSetLimit(hipLimitStackSize)" : "");
      break;
  }
  return text;
}

void TellFault(const Wave& wave, const Launch& launch, const std::string& sentence) {
  for (LaunchProbe* const probe : launch.probes) probe->Faulted(wave, sentence);
}

}  // namespace gridwise::sim
