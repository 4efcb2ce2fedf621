// SPDX-License-Identifier: MIT
#include "tools/gridwise/commands/instances_command.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "tools/gridwise/problem/problem_request.h"
#include "tools/gridwise/problem/text_file.h"
#include "tools/tune/builder.h"

namespace gridwise {
namespace {

absl::StatusOr<Built> Build(const InstancesOptions& options, Gfx gfx) {
  if (options.config.empty()) {
    return absl::InvalidArgumentError(
        "no file of traits is named; `gridwise help instances` explains how");
  }
  const absl::StatusOr<std::string> text = ReadTextFile(options.config);
  if (!text.ok()) return text.status();
  absl::StatusOr<Built> built = BuildInstances(*text, gfx, options.where);
  if (built.ok()) return built;
  return absl::Status(built.status().code(),
                      absl::StrCat(options.config, ": ", built.status().message()));
}

void PrintCounts(const Built& built, Gfx gfx) {
  absl::PrintF("%d instances for %s, of %d configs\n", built.instances.size(), Name(gfx),
               built.configs);
  if (built.filtered < built.configs) {
    absl::PrintF("%9d  left out by the filter\n", built.configs - built.filtered);
  }
  for (const auto& [reason, count] : built.refused) absl::PrintF("%9d  %s\n", count, reason);
}

}  // namespace

ExitCode InstancesCommand(const InstancesOptions& options) {
  const absl::StatusOr<Gfx> gfx = ParseTarget(options.device);
  const absl::StatusOr<Built> built =
      gfx.ok() ? Build(options, *gfx) : absl::StatusOr<Built>(gfx.status());
  absl::Status status = built.status();
  if (status.ok() && !options.export_.empty()) {
    status = WriteTextFile(options.export_, PrintInstances(built->instances, *gfx));
  }
  if (!status.ok()) return Fail(status);
  if (options.list) {
    for (const BuiltInstance& instance : built->instances) {
      absl::PrintF("%s %s %s\n", instance.family, Name(instance.direction), instance.name);
    }
  }
  if (options.count || (!options.list && options.export_.empty())) PrintCounts(*built, *gfx);
  return kSuccess;
}

}  // namespace gridwise
