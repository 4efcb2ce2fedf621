// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace gridwise {

/// IsTerminal returns whether `file` is a terminal, on which lines can be rewritten. ShowsColours
/// returns whether it also shows colors: not if NO_COLOR is set (no-color.org).
bool IsTerminal(std::FILE* file);
bool ShowsColours(std::FILE* file);

/// Returns the number of columns of the terminal `file`; 80 if it is unknown.
int TerminalColumns(std::FILE* file);

/// Returns `text` in a color or in bold if `file` shows colors; otherwise `text`.
std::string Green(std::FILE* file, std::string_view text);
std::string Red(std::FILE* file, std::string_view text);
std::string Bold(std::FILE* file, std::string_view text);

}  // namespace gridwise
