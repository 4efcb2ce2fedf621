#pragma once

#include <string>
#include <vector>

#include "tools/gridwise/cli/exit_code.h"

/// Commands that read tables of sweeps.

namespace gridwise {

struct ValidateOptions {
  std::vector<std::string> tables;
  std::string model;    // file of a model; empty: the one that is compiled in
  std::string against;  // "oracle": the best kernel that was timed
};

/// Prints how near the planner's choices come to the best kernels of sweeps' tables, beside other
/// ways to choose.
ExitCode ValidateCommand(const ValidateOptions& options);

/// Writes what models are trained on: the tables' times with their instances' features.
ExitCode FeaturesCommand(const std::vector<std::string>& tables, const std::string& csv);

/// Writes the page of tools/tune/report.h.
ExitCode ReportCommand(const std::vector<std::string>& tables, const std::string& html);

/// Adds the records of tables to the one of `csv`, but those that it has.
ExitCode MergeCommand(const std::vector<std::string>& tables, const std::string& csv);

}  // namespace gridwise
