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
  /// That of a gpu_compiler rule's file (tools/build). Its headers lie below the folder `headers`,
  /// or where they are made by the build as in its runfiles: for .../tools/tune/compiler.json below
  /// the folder that has tools. Code objects are kept below `cache`, which is created if need be.
  static absl::StatusOr<Compiler> Open(const std::string& json, std::string cache,
                                       std::string headers = "");

  /// The path of the code object (of NVIDIA's targets PTX) that a source compiles to. It is named
  /// by the source, the headers, the compiler's version and its flags: a second call finds it, in
  /// this or any other process. kInvalidArgument with what the compiler says.
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

/// Whether a family has an instance of this name for a direction and a target, be it built in or
/// added.
bool HasInstance(std::string_view family, std::string_view name, Direction direction, Gfx gfx);

/// Whether `name` is a config's, of the family or, if that is empty, of any; it may be one that
/// cannot exist.
bool IsInstanceName(std::string_view family, std::string_view name, Direction direction);

/// A kernel that was compiled on demand.
struct CompiledInstance {
  std::string family, name;
  std::string path;    // its code object
  std::string symbol;  // the kernel in it
};

/// Compiles the instance that `name` is the name of. `family` may be empty: then it is the first
/// one whose names look so. Errors: kInvalidArgument for a name that is no config's, for a config
/// that cannot exist, with Reject's sentence, and for what the compiler says.
absl::StatusOr<CompiledInstance> CompileInstance(const Compiler& compiler, std::string_view family,
                                                 std::string_view name, Direction direction,
                                                 Gfx gfx);

/// The same, and adds it to the instances of its family that plans choose from, to the end of the
/// program: MakePlan with PlanOptions::instance has it. Does nothing where HasInstance.
absl::Status AddInstance(const Compiler& compiler, std::string_view family, std::string_view name,
                         Direction direction, Gfx gfx);

}  // namespace gridwise
