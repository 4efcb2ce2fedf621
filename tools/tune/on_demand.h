// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"

namespace gridwise {

/// The machine's device compiler, and where its outputs are kept.
class Compiler {
 public:
  /// The compiler that a gpu_compiler rule's file (tools/build) describes. Its headers are below
  /// the folder `headers`; those that the build makes are beside the file, as in runfiles: for
  /// .../tools/tune/compiler.json, below the folder that has tools. Code objects are kept below
  /// `cache`, which is created if it does not exist.
  static absl::StatusOr<Compiler> Open(const std::string& json, std::string cache,
                                       std::string headers = "");

  /// The path of the code object (for NVIDIA's targets, PTX) that a source compiles to. Its name is
  /// a digest of the source, the headers, the compiler's version and its flags, so later calls, in
  /// any process, find it. kInvalidArgument with the compiler's message.
  absl::StatusOr<std::string> Compile(const std::string& source, Gfx gfx) const;

 private:
  std::string cache_;
  std::vector<std::string> roots_;  // where headers are
  std::vector<std::string> environment_;
  std::map<std::string, std::vector<std::string>, std::less<>> commands_;  // by target
  std::map<std::string, std::string> scripts_;  // paths of those among their words, by name
  std::string digest_;  // digest of the headers, the scripts and the compiler's version
};

/// $XDG_CACHE_HOME/gridwise or ~/.cache/gridwise.
std::string DefaultKernelCache();

/// Whether a family has an instance of this name for a direction and a target, built in or added.
bool HasInstance(std::string_view family, std::string_view name, Direction direction, Gfx gfx);

/// Whether `name` is the name of a config of the family or, if that is empty, of any family. The
/// config may be one that cannot be compiled.
bool IsInstanceName(std::string_view family, std::string_view name, Direction direction);

/// A kernel that was compiled on demand.
struct CompiledInstance {
  std::string family, name;
  std::string path;    // its code object
  std::string symbol;  // the kernel in it
};

/// Compiles the instance `name`. If `family` is empty, it is the first one with such names. Errors:
/// kInvalidArgument if no config has the name, if the config is rejected (with Reject's sentence),
/// or with the compiler's message.
absl::StatusOr<CompiledInstance> CompileInstance(const Compiler& compiler, std::string_view family,
                                                 std::string_view name, Direction direction,
                                                 Gfx gfx);

/// Compiles the instance and adds it to those of its family that plans choose from, until the
/// program ends: MakePlan with PlanOptions::instance finds it. Does nothing if HasInstance.
absl::Status AddInstance(const Compiler& compiler, std::string_view family, std::string_view name,
                         Direction direction, Gfx gfx);

}  // namespace gridwise
