// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/conv/problem_io.h"

namespace gridwise {

/// The convolutions of a list of MIOpenDriver's command lines, one a line:
///
///   ./bin/MIOpenDriver convfp16 -n 64 -c 128 -H 28 -W 28 -k 512 -y 1 -x 1 -p 0 -q 0 -u 1 -v 1 -F 1
///
/// with short or long flags and the driver's own defaults (driver/conv_driver.hpp of MIOpen). `-F`
/// says which directions: 1 forward, 2 backward-data, 4 backward-weight, their sum for several, 0
/// for all. Lines of one geometry become one problem with the directions of all of them. A
/// transposed convolution (`--mode trans`) becomes the convolution that it is the gradient of: its
/// forward is backward-data. Types and layouts are not the problem's: they are in its note. Empty
/// lines, lines that begin with #, and words before the driver's name are skipped.
///
/// Errors start with "<source>:<line>: " and name the flag and the value.
absl::StatusOr<std::vector<NamedProblem>> ParseMIOpenList(std::string_view text,
                                                          std::string_view source);

}  // namespace gridwise
