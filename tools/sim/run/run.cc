// SPDX-License-Identifier: MIT
// Runs a program of somebody else's with the simulator as its HIP library:
//
//   run [--device=gfx1100] [--check[=categories]] [--deferred] [--time] [--machine=file] [--seed=n]
//       [--report=file] [--source-root=folder] [--coverage=file] [--break=place] [--trace=file]
//       [--wave=which] [--] program arguments...
//
// The program is executed in the folder that `bazel run` was called from; its exit code is this
// one's. What goes wrong before the program starts gives exit code 127, and a sentence on stderr.
//
// In //tools/sim/archive there is a C library for the simulator beside it, and the program is
// started with that one too: what a newer HIP library needs, the system's may not have.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/arch/target.h"
#include "tools/build/user_folder.h"
#include "tools/sim/check/settings.h"
#include "tools/sim/isa/target.h"
#include "tools/sim/isa/target_names.h"
#include "tools/sim/run/program_file.h"

namespace gridwise::sim {
namespace {

constexpr int kCannotRun = 127;

int Fail(std::string_view sentence) {
  std::fprintf(stderr, "gridwise sim: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
  return kCannotRun;
}

void SetEnvironment(const char* name, const std::string& value) {
  setenv(name, value.c_str(), /*replace=*/1);
}

// Puts `first` before what is in a list such as LD_LIBRARY_PATH.
void Prepend(const char* name, const std::string& first) {
  const char* rest = std::getenv(name);
  SetEnvironment(name, rest == nullptr || *rest == 0 ? first : absl::StrCat(first, ":", rest));
}

// The absolute path of a file that the user names.
std::string InUserFolder(std::string_view path) {
  return std::filesystem::absolute(std::filesystem::path(UserFolder()) / path).string();
}

// Adds `mode` to GRIDWISE_SIM, which wants "deferred" first.
void AddMode(const std::string& mode) {
  static std::string modes;
  if (modes.empty()) {
    modes = mode;
  } else {
    modes = mode == "deferred" ? absl::StrCat(mode, ",", modes) : absl::StrCat(modes, ",", mode);
  }
  SetEnvironment("GRIDWISE_SIM", modes);
}

// One of this program's own options, which set what the library reads from the environment.
bool TakeOption(std::string_view option) {
  if (absl::ConsumePrefix(&option, "--device=")) {
    SetEnvironment("GRIDWISE_SIM_DEVICES", std::string(option));
  } else if (option == "--check") {
    AddMode("check");
  } else if (absl::ConsumePrefix(&option, "--check=")) {
    AddMode(absl::StrCat("check:", option));
  } else if (option == "--deferred") {
    AddMode("deferred");
  } else if (option == "--time") {
    AddMode("time");
  } else if (absl::ConsumePrefix(&option, "--machine=")) {
    SetEnvironment("GRIDWISE_SIM_MACHINE", InUserFolder(option));
  } else if (absl::ConsumePrefix(&option, "--report=")) {
    SetEnvironment("GRIDWISE_SIM_REPORT", InUserFolder(option));
  } else if (absl::ConsumePrefix(&option, "--source-root=")) {
    SetEnvironment("GRIDWISE_SIM_SOURCE_ROOT", InUserFolder(option));
  } else if (absl::ConsumePrefix(&option, "--coverage=")) {
    SetEnvironment("GRIDWISE_SIM_COVERAGE", InUserFolder(option));
  } else if (absl::ConsumePrefix(&option, "--break=")) {
    const char* const others = std::getenv("GRIDWISE_SIM_BREAK");
    SetEnvironment("GRIDWISE_SIM_BREAK",
                   absl::StrCat(others == nullptr ? "" : others, ";", option));
  } else if (absl::ConsumePrefix(&option, "--trace=")) {
    SetEnvironment("GRIDWISE_SIM_TRACE", InUserFolder(option));
  } else if (absl::ConsumePrefix(&option, "--wave=")) {
    SetEnvironment("GRIDWISE_SIM_WAVE", std::string(option));
  } else if (absl::ConsumePrefix(&option, "--seed=")) {
    SetEnvironment("GRIDWISE_SIM_SEED", std::string(option));
  } else {
    return false;
  }
  return true;
}

// The file that a shell would execute for `name`.
std::optional<std::string> FindProgram(const std::string& name) {
  std::vector<std::string> candidates = {name};
  if (name.find('/') == std::string::npos) {
    candidates.clear();
    const char* path = std::getenv("PATH");
    for (std::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':'))
      candidates.push_back(absl::StrCat(folder, "/", name));
    candidates.push_back("./" + name);
  }
  for (const std::string& candidate : candidates) {
    std::error_code error;
    if (std::filesystem::is_regular_file(candidate, error)) return candidate;
  }
  return std::nullopt;
}

// The device that the program has code for, when nobody has said which one is wanted.
std::optional<std::string> ChooseDevice(const ProgramFile& file) {
  const auto runs = [&](std::string_view device) {
    return std::ranges::any_of(
        file.targets, [&](std::string_view target) { return RunsCodeFor(device, target); });
  };
  for (const Gfx gfx : kAmdGfx) {
    if (runs(gridwise::Name(gfx))) return gridwise::Name(gfx);
  }
  for (const SimTarget& processor : kSimProcessors) {
    if (runs(processor.gfx)) return processor.gfx;
  }
  return std::nullopt;
}

// Becomes the program at `path`.
int Execute(const std::string& path, std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  return Fail(absl::StrCat(path, " cannot be executed: ", std::strerror(errno)));
}

// The command by which `loader`, which lies in the folder of the HIP library, starts a program.
std::vector<std::string> LoaderCommand(const std::filesystem::path& loader, const std::string& path,
                                       const ProgramFile& file,
                                       const std::vector<std::string>& arguments) {
  std::vector<std::string> folders = {loader.parent_path()};
  std::vector<std::string> command = {loader, "--argv0", arguments.front()};
  if (!file.rpath.empty()) {
    // The program's own list would come first. "" is its name to the loader.
    command.insert(command.end(), {"--inhibit-rpath", ""});
    const std::string origin = std::filesystem::canonical(path).parent_path();
    folders.push_back(
        absl::StrReplaceAll(file.rpath, {{"$ORIGIN", origin}, {"${ORIGIN}", origin}}));
  }
  const char* const others = std::getenv("LD_LIBRARY_PATH");
  if (others != nullptr && *others != 0) folders.emplace_back(others);
  command.insert(command.end(), {"--library-path", absl::StrJoin(folders, ":"), path});
  command.insert(command.end(), arguments.begin() + 1, arguments.end());
  return command;
}

// Becomes the program at `path`, whose HIP library is the simulator's.
int Start(const std::string& path, const ProgramFile& file,
          const std::vector<std::string>& arguments) {
  const std::filesystem::path self = std::filesystem::canonical("/proc/self/exe");
  if (!absl::StartsWith(self.filename().string(), "ld-linux")) {
    // bazel-bin/tools/sim/run/run and bazel-bin/tools/sim/hip/lib.
    const std::string libraries = self.parent_path().parent_path() / "hip/lib";
    Prepend("LD_LIBRARY_PATH", libraries);
    if (!file.rpath.empty()) {
      Prepend("LD_PRELOAD", absl::StrCat(libraries, "/", file.hip_library));
    }
    return Execute(path, arguments);
  }
  // In an archive, whose loader has started this program. The loader also starts programs from
  // elsewhere, except scripts, whose interpreters need the system's C library. Programs that the
  // archive's hipcc linked name the loader and the folder of its libraries.
  std::error_code error;
  const bool by_itself = !file.is_elf || std::filesystem::equivalent(file.interpreter, self, error);
  return by_itself ? Execute(path, arguments)
                   : Execute(self, LoaderCommand(self, path, file, arguments));
}

int Run(std::vector<std::string> arguments) {
  while (!arguments.empty() && TakeOption(arguments.front())) arguments.erase(arguments.begin());
  if (!arguments.empty() && arguments.front() == "--") arguments.erase(arguments.begin());
  if (arguments.empty() || (absl::StartsWith(arguments.front(), "--"))) {
    return Fail(
        "usage: run [--device=gfx1100] [--check[=categories]] [--deferred] [--time] "
        "[--machine=file] [--seed=n] [--report=file] [--source-root=folder] [--coverage=file] "
        "[--break=place] [--trace=file] [--wave=which] [--] program arguments...");
  }
  if (const char* mode = std::getenv("GRIDWISE_SIM")) {
    if (const auto settings = ParseMode(mode); !settings.ok()) {
      return Fail(absl::StrCat("GRIDWISE_SIM: ", settings.status().message()));
    }
  }
  if (const std::string folder = UserFolder(); !folder.empty() && chdir(folder.c_str()) != 0) {
    return Fail(absl::StrCat(folder, ": ", std::strerror(errno)));
  }
  const std::string& name = arguments.front();
  const std::optional<std::string> path = FindProgram(name);
  if (!path) return Fail(absl::StrCat("there is no program ", name));
  const absl::StatusOr<ProgramFile> file = ReadProgramFile(*path);
  if (!file.ok()) return Fail(file.status().message());
  if (file->is_elf && !file->is_dynamic) {
    return Fail(absl::StrCat(name, " is linked statically, so its HIP library cannot be replaced; ",
                             "link it against libamdhip64.so"));
  }
  if (file->is_elf && file->hip_library.empty()) {
    std::fprintf(stderr,
                 "gridwise sim: note: %s itself does not need libamdhip64.so; only a library that "
                 "it loads can use the simulator\n",
                 name.c_str());
  }
  if (std::getenv("GRIDWISE_SIM_DEVICES") == nullptr && !file->targets.empty()) {
    const std::optional<std::string> device = ChooseDevice(*file);
    if (!device) {
      return Fail(absl::StrCat(name, " was compiled for ", absl::StrJoin(file->targets, ", "),
                               "; the simulator has ", SimulatedTargets()));
    }
    SetEnvironment("GRIDWISE_SIM_DEVICES", *device);
  }
  return Start(*path, *file, arguments);
}

}  // namespace
}  // namespace gridwise::sim

int main(int argc, char** argv) { return gridwise::sim::Run({argv + 1, argv + argc}); }
