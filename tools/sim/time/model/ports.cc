// SPDX-License-Identifier: MIT
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
  at(Resource::kLds) += times * op.lds_clk;
  if (op.kind == OpKind::kScalar) at(Resource::kIssue) += times * machine.issue_clk / machine.simds;
}

void AddArithmetic(const Machine& machine, std::span<const Op> ops,
                   const WorkgroupRecord& workgroup, PortWork& work) {
  for (const WaveRecord& wave : workgroup.waves) {
    for (const Run& run : wave.runs) {
      for (uint32_t i = run.first; i <= run.last; ++i) AddWork(machine, ops[i], 1, work);
    }
  }
}

PortWork CountWork(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                   const WorkgroupRecord& workgroup, double l2_bytes_per_clk) {
  PortWork work = {};
  const auto at = [&](Resource r) -> double& { return work[static_cast<size_t>(r)]; };
  AddArithmetic(machine, ops, workgroup, work);
  const bool counts_lines = std::isfinite(l2_bytes_per_clk);
  absl::flat_hash_set<uint64_t> lines;
  for (const WaveRecord& wave : workgroup.waves) {
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

PortWork MeanOf(std::span<const WorkgroupRecord* const> workgroups,
                absl::FunctionRef<PortWork(const WorkgroupRecord&)> work) {
  PortWork mean = {};
  for (const WorkgroupRecord* workgroup : workgroups) {
    const PortWork one = work(*workgroup);
    for (size_t i = 0; i < mean.size(); ++i)
      mean[i] += one[i] / static_cast<double>(workgroups.size());
  }
  return mean;
}

PortWork CountSureWork(const Machine& machine, std::span<const Op> ops, Shapes& shapes,
                       std::span<const WorkgroupRecord* const> workgroups) {
  return MeanOf(workgroups, [&](const WorkgroupRecord& workgroup) {
    PortWork work =
        CountWork(machine, ops, shapes, workgroup, std::numeric_limits<double>::infinity());
    for (double& port : work) port *= workgroup.scale;
    return work;
  });
}

RunMs& RunMs::operator+=(const RunMs& other) {
  burst += other.burst;
  matrix += other.matrix;
  return *this;
}

RunMs Bound::Ms(const Machine& machine) const {
  return {.burst = clk / (machine.burst_mhz * 1000),
          .matrix = matrix_clk / (machine.sustained_mhz * 1000)};
}

Resource Bound::Sustained(const Machine& machine) const {
  const RunMs ms = Ms(machine);
  return ms.matrix > ms.burst ? Resource::kMatrix : resource;
}

Bound FindBound(const Machine& machine, const PortWork& mean, double workgroups, double rounds) {
  const auto most = std::max_element(mean.begin(), mean.end());
  return {.resource = static_cast<Resource>(most - mean.begin()),
          .clk = *most * rounds,
          .matrix_clk = mean[static_cast<size_t>(Resource::kMatrix)] * workgroups / machine.units};
}

}  // namespace gridwise::sim::time
