#include "tools/sim/time/model/ports.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/container/flat_hash_set.h"

namespace gridwise::sim::time {

void AddWork(const Machine& machine, const Op& op, double times, PortWork& work) {
  const auto at = [&](Resource r) -> double& { return work[static_cast<size_t>(r)]; };
  at(Resource::kMatrix) += times * op.matrix_clk / machine.simds;
  at(Resource::kVector) += times * std::max(op.valu_clk, op.trans_clk) / machine.simds;
  if (op.kind == OpKind::kScalar) at(Resource::kIssue) += times * machine.issue_clk / machine.simds;
}

PortWork WorkOf(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                const WorkgroupRecord& workgroup, double l2_bytes_per_clk) {
  PortWork work = {};
  const auto at = [&](Resource r) -> double& { return work[static_cast<size_t>(r)]; };
  const bool counts_lines = std::isfinite(l2_bytes_per_clk);
  absl::flat_hash_set<uint64_t> lines;
  for (const WaveRecord& wave : workgroup.waves) {
    for (const Run& run : wave.runs) {
      for (uint32_t i = run.first; i <= run.last; ++i) AddWork(machine, ops[i], 1, work);
    }
    for (const Access& access : wave.accesses) {
      const Op& op = ops[access.op];
      if (op.kind == OpKind::kLds) {
        const LdsCost& cost = shapes.LdsCostOf(access.shape, access.base);
        at(Resource::kLds) += machine.cdna() ? cost.clk : cost.port_clk / machine.lds_ports;
      } else if (op.kind == OpKind::kMemory && !access.lds) {
        const MemoryCost& cost = shapes.MemoryCostOf(access.shape, access.base);
        at(Resource::kAddress) += cost.address_clk / machine.l1s;
        if (!counts_lines) continue;
        const uint64_t first = access.base / static_cast<uint64_t>(machine.line_bytes);
        for (const int32_t line : cost.lines)
          lines.insert(first + static_cast<uint64_t>(int64_t{line}));
      }
    }
  }
  at(Resource::kL2) = static_cast<double>(lines.size()) * machine.line_bytes / l2_bytes_per_clk;
  return work;
}

PortWork SureWorkOf(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                    std::span<const WorkgroupRecord* const> workgroups) {
  PortWork mean = {};
  for (const WorkgroupRecord* workgroup : workgroups) {
    const PortWork work =
        WorkOf(machine, ops, shapes, *workgroup, std::numeric_limits<double>::infinity());
    for (size_t i = 0; i < mean.size(); ++i)
      mean[i] += work[i] / static_cast<double>(workgroups.size());
  }
  return mean;
}

Bound BoundOf(const PortWork& work) {
  const auto most = std::max_element(work.begin(), work.end());
  return {static_cast<Resource>(most - work.begin()), *most};
}

}  // namespace gridwise::sim::time
