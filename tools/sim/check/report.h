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

/// Findings as SARIF 2.1.0 (OASIS), one result each. Files below GRIDWISE_SIM_SOURCE_ROOT (by
/// default the working directory) are relative to it (%SRCROOT%), as viewers expect that show
/// results beside the source.
std::string ToSarif(const std::vector<Finding>& findings);

/// Findings as JUnit's XML: a failed test case each, with file and line, and a passed one for each
/// `checked` kernel without findings.
std::string ToJunit(const std::vector<Finding>& findings, const std::set<std::string>& checked);

/// The report for `path`, whose ending decides the format: .sarif or .sarif.json, .xml, else JSON.
std::string ReportFor(std::string_view path, const std::vector<Finding>& findings,
                      const std::set<std::string>& checked);

}  // namespace gridwise::sim
