// SPDX-License-Identifier: MIT
#include "tools/gridwise/cli/help.h"

#include <string_view>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/gridwise/cli/flags.h"
#include "tools/gridwise/cli/terminal.h"

namespace gridwise {

void PrintUsage(std::FILE* file) {
  absl::FPrintF(file,
                "gridwise: grouped convolutions and matrix multiplications on AMD GPUs, simulated "
                "or real, and NVIDIA Hopper\n\n");
  for (const CommandHelp& command : Commands()) {
    absl::FPrintF(file, "  gridwise %-37s %s\n", command.synopsis, command.summary);
  }
  std::fputs(R"(
  gridwise help COMMAND                          explain a command, with its flags and examples

Examples
  gridwise run bwd_data --problem=almiopen-1959 --device=gfx942 --verify
  gridwise explain fwd --n=8 --c=64 --k=64 --in=56x56 --filter=3x3 --pad=1

Exit status
  0  done; with --verify, the result is right
  1  the result is wrong; for sweep, some result is wrong or could not be computed
  2  bad usage: a flag, a file, or a problem that is invalid or that no kernel accepts
  3  no such device, or the device failed
)",
             file);
}

void PrintHelp(std::FILE* file, const CommandHelp& command) {
  absl::FPrintF(file, "%s: %s\n\n%s%s", Bold(file, absl::StrCat("gridwise ", command.synopsis)),
                command.summary, command.details, command.flags.empty() ? "" : "\nFlags\n");
  for (const std::string_view name : command.flags) {
    absl::FPrintF(file, "  %-15s %s\n", Spelling(name), absl::FindCommandLineFlag(name)->Help());
  }
}

}  // namespace gridwise
