// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sim/check/finding.h"

namespace gridwise::sim {

/// Findings as JSON: {"findings": [{"category": ..., "kernel": ..., ...}]}.
std::string ToJson(const std::vector<Finding>& findings);

/// As SARIF 2.1.0 (OASIS), a result each. Files below GRIDWISE_SIM_SOURCE_ROOT, or without that
/// below the working directory, are relative to it (%SRCROOT%), as those who show results beside
/// the source want them.
std::string ToSarif(const std::vector<Finding>& findings);

/// As JUnit's XML: a failed test case each, with its file and line, and a passed one for each of
/// the `checked` kernels that has none.
std::string ToJunit(const std::vector<Finding>& findings, const std::set<std::string>& checked);

/// What `path` is to hold, by how it ends: .sarif or .sarif.json, .xml, anything else is JSON.
std::string ReportFor(std::string_view path, const std::vector<Finding>& findings,
                      const std::set<std::string>& checked);

}  // namespace gridwise::sim
