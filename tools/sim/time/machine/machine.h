// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace gridwise::sim::time {

/// A number of a machine and where it comes from. There is none without a source: a built-in one
/// without does not compile, a file with one is refused.
class Parameter {
 public:
  /// A figure that its source leaves no doubt about.
  consteval Parameter(double value, const char* source) : Parameter(value, value, value, source) {}
  /// A figure of which the source, or its want, leaves [low, high] open.
  consteval Parameter(double value, double low, double high, const char* source)
      : value(value), low(low), high(high), source(source) {
    if (std::string_view(source).empty()) throw "a parameter needs a source";
    if (!(low <= value && value <= high)) throw "the value is outside of its range";
  }
  /// A figure that is read at run time; the caller has checked it. `source` lives forever.
  static Parameter Read(double value, double low, double high, const char* source) {
    Parameter parameter(0, "unread");
    parameter.value = value;
    parameter.low = low;
    parameter.high = high;
    parameter.source = source;
    return parameter;
  }

  operator double() const { return value; }
  bool uncertain() const { return low < high; }

  double value, low, high;
  const char* source;
};

/// What the clock must know of a machine. A `unit` is what a workgroup runs on: a compute unit of
/// CDNA, a workgroup processor of RDNA (two compute units that share LDS), of four SIMDs both.
/// Units and meanings of the numbers: Fields().
struct Machine {
  std::string_view name;    // "MI300X"
  std::string_view target;  // "gfx942"
  /// Empty if the clock was compared with measurements of the machine; else the machine whose
  /// parameters it has where no others are known: its times are not calibrated.
  std::string_view like = "";

  // The device.
  Parameter xcds, units, engines, burst_mhz, sustained_mhz;
  // What a unit holds.
  Parameter simds, registers, register_granule, waves, workgroups, lds_bytes, lds_granule;
  // Issue and arithmetic.
  Parameter issue_clk, lanes, valu_clk, trans_clk, multiply32_clk, shift64_clk, f64_clk;
  Parameter valu_latency, trans_latency, f64_latency, salu_latency, salu_to_vector, valu_to_address;
  Parameter branch_clk, barrier_clk;
  // The matrix unit.
  Parameter matrix_issue_clk, pass_clk, wmma16_clk, wmma8_clk, wmma4_clk, packed_f32_clk;
  // LDS.
  Parameter lds_ports, lds_read_bytes, lds_write_bytes, lds_direct_bytes, lds_conflict_clk;
  Parameter lds_latency;
  // Vector memory above the second level.
  Parameter l1s, address_lanes, address_lines, tag_banks, l1_read_bytes, l1_write_bytes, l1_bytes,
      l1_ways, line_bytes;
  Parameter l1_latency, wave_outstanding, address_backlog_clk, array_cache_bytes,
      array_cache_latency;
  // Scalars and instructions.
  Parameter scalar_bytes, scalar_latency, scalar_miss_clk, code_bytes, units_per_code_cache,
      code_line_bytes, code_miss_clk;
  // Below.
  Parameter l2_bytes, l2_ways, l2_xor_sets, l2_read_bytes, l2_write_bytes, l2_latency;
  Parameter mall_bytes, mall_gbs, mall_latency_ns;
  Parameter dram_read_gbs, dram_write_gbs, dram_latency_ns, share_credit_clk;
  // Launches.
  Parameter launch_us, gap_us, dispatch_clk, wave_launch_clk;

  bool cdna() const { return lanes == 64; }
  double units_per_xcd() const { return units / xcds; }
};

/// A parameter of every machine: its name in files, its unit, what it means.
struct Field {
  std::string_view name;
  Parameter Machine::* member;
  std::string_view unit;
  std::string_view meaning;
};
std::span<const Field> Fields();

/// The machines that are built in, one for each target; those of other products follow from them
/// (product_machine.h).
std::span<const Machine> Machines();
/// The built-in machine of `target` ("gfx942"), or null.
const Machine* FindMachine(std::string_view target);

}  // namespace gridwise::sim::time
