// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace gridwise {
namespace {

/// Select Graphic Rendition, ECMA-48 section 8.3.117.
std::string Rendered(std::FILE* file, int rendition, std::string_view text) {
  if (!ShowsColours(file)) return std::string(text);
  return absl::StrCat("\033[", rendition, "m", text, "\033[0m");
}

}  // namespace

bool IsTerminal(std::FILE* file) { return isatty(fileno(file)) == 1; }

bool ShowsColours(std::FILE* file) {
  const char* no_colour = std::getenv("NO_COLOR");
  return IsTerminal(file) && (no_colour == nullptr || *no_colour == 0);
}

int TerminalColumns(std::FILE* file) {
  winsize size = {};
  return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string Green(std::FILE* file, std::string_view text) { return Rendered(file, 32, text); }
std::string Red(std::FILE* file, std::string_view text) { return Rendered(file, 31, text); }
std::string Bold(std::FILE* file, std::string_view text) { return Rendered(file, 1, text); }

}  // namespace gridwise
