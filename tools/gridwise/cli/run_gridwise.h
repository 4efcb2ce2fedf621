// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/text/shell.h"
#include "llvm/Support/JSON.h"

/// Runs the program in tests, and returns its exit status and output.

namespace gridwise {

/// Returns the target under test.
std::string Target();

/// Runs the program with these arguments. Commands that need a device use the target under test,
/// unless the arguments name one. Compiled kernels are kept in the test's folder.
ShellResult Gridwise(const std::string& arguments);

/// Expects that the program refuses the arguments with one line that contains `sentence`, and with
/// the status of bad usage.
void ExpectRefusal(const std::string& arguments, const std::string& sentence);

/// Runs the program with --json and returns the document; null after a failure.
llvm::json::Value Json(const std::string& arguments);

/// Arguments of a problem that is computed quickly.
inline constexpr char kSmall[] =
    "run bwd_data --n=2 --c=24 --k=20 --in=9x7 --filter=3x2 --stride=2x1 --pad=1 ";

/// Returns the file of a problem set of three small layers. The second has one direction only.
std::string SmallSet();

/// Returns a file for output that a test does not read.
std::string Unread();
std::string ReadText(const std::string& path);
int CountLines(const std::string& text);

}  // namespace gridwise
