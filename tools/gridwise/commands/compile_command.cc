// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/compile_command.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "tools/gridwise/problem/problem_request.h"
#include "tools/gridwise/problem/text_file.h"
#include "tools/gridwise/run/demand.h"
#include "tools/tune/builder.h"

namespace gridwise {
namespace {

using Job = std::pair<Gfx, std::vector<BuiltInstance>>;

absl::StatusOr<Job> MakeJob(const CompileOptions& options) {
  if (options.jobs < 0) {
    return absl::InvalidArgumentError(absl::StrFormat("--jobs is %d; must be >= 0", options.jobs));
  }
  if (!options.instances.empty()) {
    if (!options.names.empty()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("--instances=%s and the name %s are given; must be one of them",
                          options.instances, options.names.front()));
    }
    const absl::StatusOr<std::string> text = ReadTextFile(options.instances);
    if (!text.ok()) return text.status();
    return ParseInstances(*text);
  }
  if (options.names.empty()) return absl::InvalidArgumentError("no instance is named");
  const absl::StatusOr<Gfx> gfx = ParseTarget(options.device);
  if (!gfx.ok()) return gfx.status();
  const absl::StatusOr<Direction> direction =
      ParseDirectionWord(options.direction.empty() ? "fwd" : options.direction);
  if (!direction.ok()) return direction.status();
  Job job = {*gfx, {}};
  for (const std::string& name : options.names) {
    job.second.push_back({options.family, *direction, name});
  }
  return job;
}

/// Compiles all instances on `threads` threads. Returns how many failed.
std::size_t CompileAll(const Compiler& compiler, const Job& job, unsigned threads) {
  const auto& [gfx, instances] = job;
  std::atomic<std::size_t> next = 0, failed = 0;
  std::mutex output;
  const auto work = [&] {
    for (std::size_t i = next++; i < instances.size(); i = next++) {
      const BuiltInstance& instance = instances[i];
      const absl::StatusOr<CompiledInstance> compiled =
          CompileInstance(compiler, instance.family, instance.name, instance.direction, gfx);
      const std::lock_guard lock(output);
      if (compiled.ok()) {
        absl::PrintF("%s %s %s %s: %s\n", compiled->family, Name(instance.direction),
                     compiled->name, Name(gfx), compiled->path);
        std::fflush(stdout);
      } else {
        ++failed;
        Fail(compiled.status());
      }
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 1; i < std::min<std::size_t>(threads, instances.size()); ++i) {
    workers.emplace_back(work);
  }
  work();
  for (std::thread& worker : workers) worker.join();
  return failed;
}

}  // namespace

ExitCode CompileCommand(const CompileOptions& options) {
  const absl::StatusOr<Job> job = MakeJob(options);
  const absl::StatusOr<Compiler> compiler =
      job.ok() ? OpenCompiler(options.program) : absl::StatusOr<Compiler>(job.status());
  if (!compiler.ok()) return Fail(compiler.status());
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const unsigned threads = options.jobs > 0 ? static_cast<unsigned>(options.jobs) : cores;
  return CompileAll(*compiler, *job, threads) == 0 ? kSuccess : kBadUsage;
}

}  // namespace gridwise
