#pragma once

#include <string>

#include "core/text/shell.h"
#include "llvm/Support/JSON.h"

/// The program, as tests run it: its exit status and what it says.

namespace gridwise {

/// The target under test.
std::string Target();

/// stdout and stderr of the program with these arguments, on the target under test where commands
/// want one and they name none. Compiled kernels are kept in the test's folder.
ShellResult Gridwise(const std::string& arguments);

/// Expects a bad command line: one sentence that says what is wrong, and the status of bad usage.
void ExpectRefusal(const std::string& arguments, const std::string& sentence);

/// A document of --json; null after a failure.
llvm::json::Value Json(const std::string& arguments);

/// Arguments of a problem that is computed at once.
inline constexpr char kSmall[] =
    "run bwd_data --n=2 --c=24 --k=20 --in=9x7 --filter=3x2 --stride=2x1 --pad=1 ";

/// The file of a problem set of three small layers, the second in one direction only.
std::string SmallSet();

/// A file for what a test does not look at.
std::string Unread();
std::string ReadText(const std::string& path);
int CountLines(const std::string& text);

}  // namespace gridwise
