// SPDX-License-Identifier: MIT
#include "tools/sim/time/machine/product_machine.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <string>

#include "core/text/parse_device.h"

namespace gridwise::sim::time {
namespace {

constexpr char kDataSheet[] = "[V] data sheet, or what the device reports";

/// If a fact differs from that of the product that this one is like, rates are uncertain by this
/// part.
constexpr double kRange = 0.25;

/// Replaces facts where they differ, so that the others keep their sources and ranges.
class Changes {
 public:
  explicit Changes(const char* source_of_rates) : source_of_rates_(source_of_rates) {}

  void SetFact(Parameter& parameter, double value) const {
    if (value != parameter) parameter = Parameter::Read(value, value, value, kDataSheet);
  }
  void SetRate(Parameter& parameter, double value) const {
    if (value != parameter)
      parameter =
          Parameter::Read(value, value * (1 - kRange), value * (1 + kRange), source_of_rates_);
  }

 private:
  const char* const source_of_rates_;
};

Machine Make(const DeviceFacts& device, const char* name, const char* source) {
  const Machine& base = *FindMachine(Name(device.gfx));
  const MachineFacts& facts = device.machine;
  Machine machine = base;
  machine.name = name;
  machine.target = device.product->processor;
  machine.like = device.product->like.empty() ? base.name : device.product->like;
  const Changes changes(source);
  changes.SetFact(machine.xcds, device.xcds);
  changes.SetFact(machine.units, device.compute_units);
  // A machine may run above its data sheet's clock; what is like it does so in proportion.
  const double of_data_sheet = base.burst_mhz / DeviceFacts(device.gfx).clock_ghz;
  changes.SetFact(machine.burst_mhz, std::round(device.clock_ghz * of_data_sheet));
  changes.SetRate(machine.sustained_mhz, std::round(facts.sustained_ghz * 1e3));
  changes.SetFact(machine.registers, facts.registers_of_simd);
  changes.SetFact(machine.register_granule, facts.register_granule);
  changes.SetFact(machine.waves, facts.waves_of_simd);
  // Engines are in proportion to the units of an XCD.
  const double engines =
      std::max(1.0, std::round(base.engines * machine.units_per_xcd() / base.units_per_xcd()));
  changes.SetFact(machine.engines, engines);
  changes.SetFact(machine.l2_bytes, facts.l2_bytes);
  changes.SetRate(machine.l2_read_bytes, facts.l2_bytes_per_clk);
  if (facts.l2_bytes_per_clk != base.l2_read_bytes) {
    changes.SetRate(machine.l2_write_bytes,
                    base.l2_write_bytes * facts.l2_bytes_per_clk / base.l2_read_bytes);
  }
  changes.SetFact(machine.mall_bytes, facts.mall_bytes);
  changes.SetRate(machine.mall_gbs, facts.mall_gb_per_s);
  changes.SetRate(machine.dram_read_gbs, facts.dram_read_gb_per_s);
  changes.SetRate(machine.dram_write_gbs, facts.dram_write_gb_per_s);
  return machine;
}

}  // namespace

const Machine& MachineFor(const DeviceFacts& device) {
  const Machine& built_in = *FindMachine(Name(device.gfx));
  if (device == DeviceFacts(device.gfx)) return built_in;
  struct Known {
    DeviceFacts device;
    std::string name, source;
    Machine machine;
  };
  static std::mutex mutex;
  static auto* const known = new std::deque<Known>;  // never moves what it has
  const std::lock_guard lock(mutex);
  for (const Known& of_device : *known) {
    if (of_device.device == device) return of_device.machine;
  }
  std::string name = NameOf(device);
  if (name == Name(device.gfx)) name = device.product->name;
  std::string source(device.product->source.empty() ? "[A] in proportion to data sheets"
                                                    : device.product->source);
  Known& added = known->emplace_back(Known{device, std::move(name), std::move(source), built_in});
  added.machine = Make(device, added.name.c_str(), added.source.c_str());
  return added.machine;
}

}  // namespace gridwise::sim::time
