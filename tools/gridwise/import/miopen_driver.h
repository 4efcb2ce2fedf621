// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Reads a command line of MIOpenDriver, or a line of MIOpen's log that has one
/// (MIOPEN_ENABLE_LOGGING_CMD):
///
///   ./bin/MIOpenDriver convfp16 -n 64 -c 128 -H 28 -W 28 -k 512 -y 1 -x 1 -p 0 -q 0 -u 1 -v 1 -F 1
///
/// with short or long flags and the driver's own defaults (driver/conv_driver.hpp of MIOpen). `-F`
/// says which directions: 1 forward, 2 backward-data, 4 backward-weight, their sum for several, 0
/// for all. A transposed convolution (`--mode trans`) becomes the convolution that it is the
/// gradient of: its forward is backward-data. Words before the driver's name are skipped.
///
/// What MIOpen's log says differs in two ways (driver_arguments.cpp of MIOpen). `-k` of a
/// transposed convolution is that of a group. And its output padding is missing.
ImportedLine ReadMIOpenDriver(std::string_view line);

/// Words of such a line. The driver, with or without its folder:
bool IsMIOpenDriver(std::string_view word);
/// What it does, of those that Gridwise has: "conv", "convfp16".
bool IsMIOpenConvolution(std::string_view word);
/// An option of convolutions, as -n or --batchsize, with its value. Gridwise has --verify and
/// --time, too, without a value: they are the driver's if a number follows.
bool IsMIOpenOption(std::string_view word, std::string_view value);

}  // namespace gridwise
