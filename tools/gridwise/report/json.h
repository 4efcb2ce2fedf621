#pragma once

#include <cstdio>

#include "core/conv/problem.h"
#include "core/reference/compare.h"
#include "gridwise/plan.h"
#include "llvm/Support/JSON.h"
#include "tools/gridwise/problem/problem.h"
#include "tools/gridwise/run/computation.h"
#include "tools/gridwise/run/timing.h"

/// What commands say with --json.

namespace gridwise {

/// A number; null where it is none, which JSON cannot say.
llvm::json::Value JsonNumber(double value);

/// Sizes of axes outermost first, and "text", the line that people read.
llvm::json::Object ToJson(const Problem& problem);

/// Cycles by Cost's names, and "us" at `clock_ghz`.
llvm::json::Object ToJson(const Cost& cost, double clock_ghz);

llvm::json::Object ToJson(const InstancePlan& plan);
llvm::json::Object ToJson(const Outcome& outcome);
llvm::json::Object ToJson(const ErrorStats& stats);
llvm::json::Object ToJson(const Timing& timing);

/// Prints a document to stdout.
void PrintJson(llvm::json::Value value);

}  // namespace gridwise
