// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/arch/product_list.h"
#include "core/arch/target.h"

namespace gridwise {

/// The facts of a device that plans and estimates need, beyond its target: those of a product, or
/// of a partition of one. CurrentDevice() (core/runtime/device.h) returns those of a real device.
///
/// Kernels do not include this header, so a change of a product's facts compiles no kernel.
struct DeviceFacts {
  Gfx gfx;                 // whose kernels it runs
  const Product* product;  // the device is one, or like it; in static memory
  int compute_units;
  int xcds;                // each with its own L2; workgroup i runs on XCD i % xcds
  double clock_ghz;        // peak engine clock
  double memory_gb_per_s;  // peak
  std::int64_t memory_bytes;
  MachineFacts machine;

  /// The facts of the target's first product.
  constexpr DeviceFacts(Gfx target)  // NOLINT: a target stands for its product
      : DeviceFacts(target, ProductsOf(target).front()) {}

  /// The facts of a product of `target`.
  constexpr DeviceFacts(Gfx target, const Product& product)
      : gfx(target),
        product(&product),
        compute_units(product.compute_units),
        xcds(product.xcds),
        clock_ghz(product.clock_ghz),
        memory_gb_per_s(product.memory_gb_per_s),
        memory_bytes(std::int64_t{product.memory_gib} << 30),
        machine(product.machine) {}

  /// The same, with `units` compute units: whole XCDs of the product if that divides evenly, else
  /// one XCD. One of several equal partitions has its share of what they share, because all of them
  /// work at a time.
  constexpr DeviceFacts(Gfx target, const Product& product, int units)
      : DeviceFacts(target, product) {
    const int of_product = compute_units, per_xcd = compute_units / xcds;
    compute_units = units;
    xcds = units % per_xcd == 0 && units > 0 ? units / per_xcd : 1;
    if (units <= 0 || product.xcds == 1 || units * 2 > of_product || of_product % units != 0)
      return;
    const int parts = of_product / units;
    memory_gb_per_s /= parts;
    memory_bytes /= parts;
    machine.mall_bytes /= parts;
    machine.mall_gb_per_s /= parts;
    machine.dram_read_gb_per_s /= parts;
    machine.dram_write_gb_per_s /= parts;
  }
  constexpr DeviceFacts(Gfx target, int units)
      : DeviceFacts(target, ProductsOf(target).front(), units) {}

  bool operator==(const DeviceFacts&) const = default;
};

static_assert(DeviceFacts(Gfx::k942, 228).xcds == 6, "as MI300A");
static_assert(DeviceFacts(Gfx::k942, 38).xcds == 1, "a partition of MI300X");

/// Cycles of the device's peak clock that a long run takes per cycle of its fully used matrix
/// units: 1 if the power suffices for all of them.
constexpr double PowerFactor(const DeviceFacts& device) {
  return device.product->clock_ghz / device.machine.sustained_ghz;
}

}  // namespace gridwise
