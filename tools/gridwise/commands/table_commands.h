// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tools/gridwise/cli/exit_code.h"

/// Commands that read tables of sweeps.

namespace gridwise {

struct ValidateOptions {
  std::vector<std::string> tables;
  std::string model;    // file of a model; empty: the built-in model
  std::string against;  // "oracle": the best kernel that was timed
};

/// Prints how close the planner's choices, and other ways to choose, come to the best kernels of
/// sweep tables.
ExitCode ValidateCommand(const ValidateOptions& options);

/// Writes the training data of models: the tables' times, with the features of their instances.
ExitCode FeaturesCommand(const std::vector<std::string>& tables, const std::string& csv);

/// Writes the page of tools/tune/report.h.
ExitCode ReportCommand(const std::vector<std::string>& tables, const std::string& html);

/// Adds the records of tables to the table `csv`, except for those that it already has.
ExitCode MergeCommand(const std::vector<std::string>& tables, const std::string& csv);

}  // namespace gridwise
