// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "core/arch/machine.h"

namespace gridwise {

/// A GPU as it is sold: the facts in which products with the same kernels differ. Compute units are
/// counted as in TargetTraits and by HIP: on RDNA one is a workgroup processor, which data sheets
/// count as two.
struct Product {
  std::string_view name;              // "RX 7600"
  std::string_view other_names = "";  // by which it is known too, with commas between them
  std::string_view full_name;         // with the words of its maker in front: HIP reports it
  std::string_view processor;         // as the compiler and HIP's gcnArchName call it: "gfx1102"
  int compute_units;
  int xcds;                // those with compute units; each has an L2
  double clock_ghz;        // peak engine clock
  double memory_gb_per_s;  // peak
  int memory_gib;
  int memory_bus_bits;
  int memory_transfers;  // bits per line of the memory bus and clock, in terms of the clock that
                         // HIP reports
  MachineFacts machine;
  /// Empty if `machine` and the simulator's clock were compared with measurements. Else the product
  /// whose facts they have where no others are known: times are not calibrated.
  std::string_view like = "";
  std::string_view source = "";  // of facts of `machine` that are not as those of `like`
};

/// A product by its differences from another one, `Like`. What is 0 or empty follows from it.
struct ProductChanges {
  std::string_view name;
  std::string_view other_names = "", full_name = "", processor = "";
  int compute_units = 0;
  int xcds = 0;
  double clock_ghz = 0;
  double memory_gb_per_s = 0;
  int memory_gib = 0;
  int memory_bus_bits = 0;
  int memory_transfers = 0;
  // Members of MachineFacts. By default rates are scaled: those of memory by its peak, those of the
  // Infinity Cache by its size, the sustained clock by the peak clock.
  double sustained_ghz = 0;
  double l2_bytes = 0, l2_bytes_per_clk = 0;
  bool has_mall = true;
  double mall_bytes = 0, mall_gb_per_s = 0;
  double dram_read_gb_per_s = 0, dram_write_gb_per_s = 0;
  double registers_of_simd = 0, register_granule = 0;
  std::string_view source = "";
};

constexpr Product Like(const Product& other, const ProductChanges& changes) {
  const auto set = [](auto& value, auto changed) {
    if (changed != decltype(changed){}) value = changed;
  };
  Product product = other;
  product.name = changes.name;
  product.other_names = changes.other_names;
  product.full_name = changes.full_name;
  product.like = other.like.empty() ? other.name : other.like;
  if (other.like.empty()) product.source = "";  // which is of its own facts
  set(product.source, changes.source);
  set(product.processor, changes.processor);
  set(product.compute_units, changes.compute_units);
  set(product.xcds, changes.xcds);
  set(product.clock_ghz, changes.clock_ghz);
  set(product.memory_gb_per_s, changes.memory_gb_per_s);
  set(product.memory_gib, changes.memory_gib);
  set(product.memory_bus_bits, changes.memory_bus_bits);
  set(product.memory_transfers, changes.memory_transfers);

  MachineFacts& machine = product.machine;
  machine.sustained_ghz *= product.clock_ghz / other.clock_ghz;
  machine.dram_read_gb_per_s *= product.memory_gb_per_s / other.memory_gb_per_s;
  machine.dram_write_gb_per_s *= product.memory_gb_per_s / other.memory_gb_per_s;
  if (!changes.has_mall) {
    machine.mall_bytes = 0;
  } else if (changes.mall_bytes > 0) {
    machine.mall_gb_per_s *= changes.mall_bytes / machine.mall_bytes;
    machine.mall_bytes = changes.mall_bytes;
  }
  set(machine.sustained_ghz, changes.sustained_ghz);
  set(machine.l2_bytes, changes.l2_bytes);
  set(machine.l2_bytes_per_clk, changes.l2_bytes_per_clk);
  set(machine.mall_gb_per_s, changes.mall_gb_per_s);
  set(machine.dram_read_gb_per_s, changes.dram_read_gb_per_s);
  set(machine.dram_write_gb_per_s, changes.dram_write_gb_per_s);
  set(machine.registers_of_simd, changes.registers_of_simd);
  set(machine.register_granule, changes.register_granule);
  return product;
}

}  // namespace gridwise
