// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// The flags of `gridwise instances`.
struct InstancesOptions {
  std::string config;   // file of traits (tools/tune/builder.h)
  std::string device;   // "gfx942"
  std::string where;    // condition (tools/tune/filter.h); empty: all
  bool list = false;    // print the instances
  bool count = false;   // print the number, and the rejections by reason; the default
  std::string export_;  // file for the instances; - for stdout
};

/// Lists, counts or exports the instances that a file of traits makes for a target.
ExitCode InstancesCommand(const InstancesOptions& options);

}  // namespace gridwise
