#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace gridwise {

/// Whether `file` is a terminal, which shows what is rewritten, and colours unless NO_COLOR is set
/// (no-color.org).
bool IsTerminal(std::FILE* file);
bool ShowsColours(std::FILE* file);

/// Columns of the terminal that `file` is; 80 where that is not known.
int TerminalColumns(std::FILE* file);

/// `text` in a colour where `file` shows colours.
std::string Green(std::FILE* file, std::string_view text);
std::string Red(std::FILE* file, std::string_view text);
std::string Bold(std::FILE* file, std::string_view text);

}  // namespace gridwise
