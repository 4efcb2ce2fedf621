// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/arch/device_facts.h"

namespace gridwise {

/// The facts of the device called `name`:
///
///   - a product: "MI300X", "rx 7800 xt", "strix-halo"; case, spaces and hyphens do not matter;
///   - a target or processor, which stands for its first product: "gfx942", "gfx1102";
///   - one partition of a product, after a slash: "mi300x/cpx". SPX, DPX, TPX, QPX and CPX make 1,
///     2, 3, 4 and as many partitions as there are XCDs. A partition has its share of all rates,
///     because all partitions work at a time, and of memory.
///
/// Returns kInvalidArgument if there is none: names the nearest product, or says why a product has
/// no such partitions.
absl::StatusOr<DeviceFacts> ParseDevice(std::string_view name);

/// A name by which ParseDevice finds the product, or partition, that `device` is or is like: that
/// of the target if the target stands for it ("gfx942"), else the product's ("MI300A",
/// "MI300X/CPX").
std::string NameOf(const DeviceFacts& device);

/// What to say of times on `device` that are estimated or simulated: "" if facts of its machine
/// were compared with measurements, else that they are "not calibrated", and whose facts they are.
std::string CalibrationNote(const DeviceFacts& device);

}  // namespace gridwise
