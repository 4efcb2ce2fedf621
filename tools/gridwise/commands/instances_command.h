#pragma once

#include <string>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// The flags of `gridwise instances`.
struct InstancesOptions {
  std::string config;   // file of traits, see tools/tune/builder.h
  std::string device;   // "gfx942"
  std::string where;    // see tools/tune/filter.h; empty: all
  bool list = false;    // print the instances
  bool count = false;   // print how many there are, and why not more; so it is without the others
  std::string export_;  // file that the instances are written to; - for stdout
};

/// The instances that the traits of a file make for a target.
ExitCode InstancesCommand(const InstancesOptions& options);

}  // namespace gridwise
