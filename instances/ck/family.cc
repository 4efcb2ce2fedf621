// SPDX-License-Identifier: MIT
#include "instances/ck/family.h"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ck/gemm/config.h"
#include "ck/ops/explicit.h"
#include "ck/ops/kernels.h"
#include "ck/ops/op.h"
#include "core/arch/parse_gfx.h"
#include "core/launch/code.h"
#include "core/planning/parts_family.h"
#include "core/text/fields_text.h"
#include "instances/ck/instance_code.h"

namespace gridwise::ck {
namespace {

using enum DataType;
using enum Function;
using enum MmaUnit;
using enum Op;
using enum Schedule;
using enum Walk;

/// A line of a list of instances.
struct Instance {
  OpSet ops;
  GemmConfig config;
  InstanceUse use;
};

#define INSTANCE(ops, ...) {ops, {__VA_ARGS__}, InstanceUse::kRanked},
#define REQUESTED_INSTANCE(ops, ...) {ops, {__VA_ARGS__}, InstanceUse::kOnRequest},

#include "instances/ck/instance_tables.inc"

/// The instances, a family's for convolutions and one's for matrices. Both have the same kernels.
struct Tables {
  PartsFamily convolutions{"ck"}, matrices{"ck"};
  ClassicFamily classic{convolutions};
  std::map<Gfx, std::vector<CompiledKernel>> kernels;

  void Add(const InstanceTable& table) {
    for (std::size_t i = 0; i < table.instances.size(); ++i) {
      const Instance& instance = table.instances[i];
      std::optional<KernelCode> code =
          CodeOfInstance(table.objects, table.gfx, "ck", table.codes[i]);
      if (!code) continue;
      code->needs = NeedsOfInstance(table.needs, PrintFields(instance.config), *code);
      if (instance.use == InstanceUse::kRanked)
        kernels[table.gfx].push_back({instance.config, *code});
      for (const Op op : kAllOps) {
        if (!instance.ops.Has(op) || !IsBuilt(DirectionOf(op))) continue;
        PartsFamily& family = op == kBatchedGemm ? matrices : convolutions;
        family.Add(DirectionOf(op), table.gfx, MakeKernel(op, instance.config, *code),
                   instance.use);
      }
    }
  }
};

const Tables& TheTables() {
  static const Tables* const tables = [] {
    auto* const made = new Tables;
    for (const InstanceTable& table : InstanceTables()) made->Add(table);
    return made;
  }();
  return *tables;
}

}  // namespace

const KernelFamily& Family() { return TheTables().classic; }

const KernelFamily& Gemms() { return TheTables().matrices; }

std::span<const CompiledKernel> Kernels(Gfx gfx) {
  const auto& kernels = TheTables().kernels;
  const auto found = kernels.find(gfx);
  return found == kernels.end() ? std::span<const CompiledKernel>() : found->second;
}

}  // namespace gridwise::ck
