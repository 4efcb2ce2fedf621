#pragma once

#include <string>

#include "tools/gridwise/cli/exit_code.h"

namespace gridwise {

/// Which instances to list; what is empty narrows nothing.
struct InstanceFilter {
  std::string device;     // as ParseTarget takes it
  std::string direction;  // as ParseDirectionWord takes it, or "gemm"
  std::string family;
};

/// Prints what there is: `what` is "targets", "instances", "problems", or "" for these in short, or
/// "support", the table of what computes what (of the filter's family, if it has one). `program` is
/// argv[0]; `json` is for programs to read.
ExitCode ListCommand(const std::string& what, const InstanceFilter& filter,
                     const std::string& problem_sets, const std::string& program, bool json);

}  // namespace gridwise
