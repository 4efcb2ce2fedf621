// SPDX-License-Identifier: MIT
#include "tools/sim/time/machine/machine.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "core/arch/device_facts.h"
#include "core/arch/parse_gfx.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/sim/time/machine/machine_file.h"
#include "tools/sim/time/machine/product_machine.h"

namespace gridwise::sim::time {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Machine, EveryParameterHasASourceAndARangeAroundIt) {
  ASSERT_EQ(Machines().size(), 5u);
  for (const Machine& machine : Machines()) {
    for (const Field& field : Fields()) {
      const Parameter& parameter = machine.*field.member;
      EXPECT_STRNE(parameter.source, "") << machine.name << " " << field.name;
      EXPECT_LE(parameter.low, parameter.value) << machine.name << " " << field.name;
      EXPECT_GE(parameter.high, parameter.value) << machine.name << " " << field.name;
    }
  }
}

// Plans estimate by the same numbers; those of a unit of RDNA are two compute units'.
TEST(Machine, ThePlannersFactsAreTheseMachines) {
  for (const Machine& machine : Machines()) {
    const Gfx gfx = *ParseGfx(machine.target);
    const TargetTraits target = TraitsOf(gfx);
    const DeviceFacts device = gfx;
    EXPECT_EQ(device.compute_units, machine.units) << machine.name;
    EXPECT_EQ(target.simds_per_unit, machine.simds) << machine.name;
    EXPECT_EQ(target.vector_caches, machine.l1s) << machine.name;
    EXPECT_EQ(target.unit_lds_bytes, machine.lds_bytes) << machine.name;
    EXPECT_EQ(device.xcds, machine.xcds) << machine.name;
    const MachineFacts facts = DeviceFacts(gfx).machine;
    EXPECT_DOUBLE_EQ(facts.sustained_ghz * 1000, machine.sustained_mhz) << machine.name;
    EXPECT_EQ(facts.l2_bytes, machine.l2_bytes) << machine.name;
    EXPECT_EQ(facts.l2_bytes_per_clk, machine.l2_read_bytes) << machine.name;
    EXPECT_EQ(facts.mall_bytes, machine.mall_bytes) << machine.name;
    EXPECT_EQ(facts.mall_gb_per_s, machine.mall_gbs) << machine.name;
    EXPECT_EQ(facts.dram_read_gb_per_s, machine.dram_read_gbs) << machine.name;
    EXPECT_EQ(facts.dram_write_gb_per_s, machine.dram_write_gbs) << machine.name;
    EXPECT_EQ(facts.l2_latency_clk, machine.l2_latency) << machine.name;
    EXPECT_EQ(facts.mall_latency_ns, machine.mall_latency_ns) << machine.name;
    EXPECT_EQ(facts.lds_read_bytes, machine.lds_read_bytes) << machine.name;
    EXPECT_EQ(facts.lds_write_bytes, machine.lds_write_bytes) << machine.name;
    EXPECT_EQ(facts.lds_granule, machine.lds_granule) << machine.name;
    EXPECT_EQ(facts.registers_of_simd, machine.registers) << machine.name;
    EXPECT_EQ(facts.register_granule, machine.register_granule) << machine.name;
    EXPECT_EQ(facts.waves_of_simd, machine.waves) << machine.name;
    EXPECT_EQ(facts.launch_us, machine.launch_us) << machine.name;
    EXPECT_EQ(facts.gap_us, machine.gap_us) << machine.name;
  }
}

// In every product and every partition, each fact that differs has a source of its own.
TEST(ProductMachine, HasTheFactsOfTheProduct) {
  int products = 0;
  for (const Gfx gfx : kAmdGfx) {
    for (const Product& product : ProductsOf(gfx)) {
      const DeviceFacts device(gfx, product);
      const Machine& machine = MachineFor(device);
      ++products;
      EXPECT_EQ(machine.name, product.name);
      EXPECT_EQ(machine.target, product.processor) << product.name;
      EXPECT_EQ(machine.like, product.like) << product.name;
      EXPECT_EQ(machine.units, product.compute_units) << product.name;
      EXPECT_EQ(machine.xcds, product.xcds) << product.name;
      EXPECT_NEAR(machine.burst_mhz / FindMachine(Name(gfx))->burst_mhz,
                  product.clock_ghz / DeviceFacts(gfx).clock_ghz, 1e-3)
          << product.name;
      EXPECT_NEAR(machine.sustained_mhz, product.machine.sustained_ghz * 1e3, 0.5) << product.name;
      EXPECT_EQ(machine.registers, product.machine.registers_of_simd) << product.name;
      EXPECT_EQ(machine.register_granule, product.machine.register_granule) << product.name;
      EXPECT_EQ(machine.l2_bytes, product.machine.l2_bytes) << product.name;
      EXPECT_EQ(machine.l2_read_bytes, product.machine.l2_bytes_per_clk) << product.name;
      EXPECT_EQ(machine.mall_bytes, product.machine.mall_bytes) << product.name;
      EXPECT_EQ(machine.mall_gbs, product.machine.mall_gb_per_s) << product.name;
      EXPECT_EQ(machine.dram_read_gbs, product.machine.dram_read_gb_per_s) << product.name;
      EXPECT_LE(machine.dram_read_gbs, product.memory_gb_per_s) << product.name;
      for (const Field& field : Fields()) {
        const Parameter& parameter = machine.*field.member;
        EXPECT_STRNE(parameter.source, "") << product.name << " " << field.name;
        EXPECT_LE(parameter.low, parameter.value) << product.name << " " << field.name;
        EXPECT_GE(parameter.high, parameter.value) << product.name << " " << field.name;
      }
    }
  }
  EXPECT_GE(products, 25);
}

TEST(ProductMachine, OfATargetIsTheBuiltInOne) {
  for (const Gfx gfx : kAmdGfx) EXPECT_EQ(&MachineFor(gfx), FindMachine(Name(gfx)));
  EXPECT_EQ(MachineFor(DeviceFacts(Gfx::k942, 38)).name, "MI300X/CPX");
  EXPECT_EQ(MachineFor(DeviceFacts(Gfx::k942, 38)).like, "MI300X");
}

TEST(Machine, AssumptionsHaveARange) {
  for (const Machine& machine : Machines()) {
    for (const Field& field : Fields()) {
      const Parameter& parameter = machine.*field.member;
      if (!std::string_view(parameter.source).starts_with("[A]")) continue;
      EXPECT_TRUE(parameter.uncertain()) << machine.name << " " << field.name;
    }
  }
}

TEST(Machine, FieldsNameEveryMemberOnce) {
  std::set<std::string_view> names;
  for (const Field& field : Fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    for (const Field& other : Fields()) {
      EXPECT_TRUE(&field == &other || field.member != other.member) << field.name;
    }
  }
}

TEST(Machine, PeaksAreThoseOfTheDataSheets) {
  // 16x16x16 f16 in 4 passes of 4 clocks on 304 x 4 matrix units at 2.1 GHz: 1307 TFLOP/s.
  const Machine& mi300x = *FindMachine("gfx942");
  const double flops = 2.0 * 16 * 16 * 16 / (4 * mi300x.pass_clk) * mi300x.units * mi300x.simds *
                       mi300x.burst_mhz * 1e6;
  EXPECT_NEAR(flops, 1307.4e12, 1e12);
  // 16x16x16 in 8 passes on 104 x 4 at 1.7 GHz: 181 TFLOP/s.
  const Machine& mi210 = *FindMachine("gfx90a");
  EXPECT_NEAR(
      2.0 * 16 * 16 * 16 / (8 * mi210.pass_clk) * mi210.units * mi210.simds * mi210.burst_mhz * 1e6,
      181.0e12, 0.1e12);
  // 16x16x16 in 32 clocks on 48 x 4 SIMDs at 2.5 GHz: 122.9 TFLOP/s.
  const Machine& xtx = *FindMachine("gfx1100");
  EXPECT_NEAR(2.0 * 16 * 16 * 16 / xtx.wmma16_clk * xtx.units * xtx.simds * xtx.burst_mhz * 1e6,
              122.9e12, 0.1e12);
}

TEST(MachineFile, ChangesWhatItNames) {
  const absl::StatusOr<Machine> machine = ParseMachine(R"({"name": "MI300A", "base": "gfx942",
      "parameters": {"units": {"value": 228, "source": "data sheet"},
                     "launch_us": {"value": 4, "low": 3, "high": 5, "source": "event pair"}}})");
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(machine->name, "MI300A");
  EXPECT_EQ(machine->units, 228);
  EXPECT_STREQ(machine->units.source, "data sheet");
  EXPECT_EQ(machine->launch_us.high, 5);
  EXPECT_EQ(machine->l2_latency, FindMachine("gfx942")->l2_latency);
}

TEST(MachineFile, SaysWhatIsWrong) {
  const auto error = [](const char* json) {
    return std::string(ParseMachine(json).status().message());
  };
  EXPECT_THAT(error("{"), HasSubstr("machine file"));
  EXPECT_THAT(error(R"({"parameters": {}})"), HasSubstr("needs a 'base'"));
  EXPECT_THAT(error(R"({"base": "gfx908", "parameters": {}})"),
              AllOf(HasSubstr("one of gfx942, "), HasSubstr("gfx90a"), Not(HasSubstr("sm_90a"))));
  EXPECT_EQ(ParseMachine(R"({"base": "RX 7600", "parameters": {}})")->units, 16);
  EXPECT_THAT(error(R"({"base": "gfx942", "parameters": {"unit": {"value": 1}}})"),
              HasSubstr("no parameter is called 'unit'"));
  EXPECT_THAT(error(R"({"base": "gfx942", "parameters": {"units": {"value": 228}}})"),
              HasSubstr("'units' needs a number 'value' and a 'source'"));
  EXPECT_THAT(
      error(R"({"base": "gfx942", "parameters": {"units": {"value": 228, "source": " "}}})"),
      HasSubstr("where it is from"));
  EXPECT_THAT(error(R"({"base": "gfx942",
                        "parameters": {"units": {"value": 2, "low": 3, "source": "s"}}})"),
              HasSubstr("outside of [3, 2]"));
  EXPECT_TRUE(absl::IsNotFound(ReadMachine("/nowhere").status()));
}

}  // namespace
}  // namespace gridwise::sim::time
