// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>

#include "core/conv/problem.h"
#include "core/reference/compare.h"
#include "gridwise/plan.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/run/computation.h"
#include "tools/gridwise/run/timing.h"

/// The output of commands with --json.

namespace gridwise {

/// Returns a number, or null if `value` is NaN or infinite, which JSON cannot represent.
llvm::json::Value JsonNumber(double value);

/// Returns the sizes, axes outermost first, and "text", the line for people.
llvm::json::Object ToJson(const Problem& problem);

/// Returns the cycles under the names of Cost's fields, and "us" at `clock_ghz`.
llvm::json::Object ToJson(const Cost& cost, double clock_ghz);

llvm::json::Object ToJson(const InstancePlan& plan);
llvm::json::Object ToJson(const Outcome& outcome);
llvm::json::Object ToJson(const ErrorStats& stats);
llvm::json::Object ToJson(const Timing& timing);

/// Prints a document to stdout.
void PrintJson(llvm::json::Value value);

}  // namespace gridwise
