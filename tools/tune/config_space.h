// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/problem.h"
#include "core/launch/part_kernel.h"

namespace gridwise {

/// A number of a config: a field, or a part of one. Filters and files call it tile_m, for example.
struct Trait {
  std::string group, part;               // "tile", "m"; of a field without parts its name, ""
  std::vector<std::string> enumerators;  // what its values are called; empty: an integer
  int least = 1, most = 4096;            // bounds of integers
  int fallback = 0;                      // its value in a config that does not say; below `least`:
                                         // there is none

  bool is_text() const { return !enumerators.empty(); }
  std::string name() const { return part.empty() ? group : group + "_" + part; }
};

/// The number that `text` stands for: an enumerator, or an integer. Else kInvalidArgument, which
/// names the values that are allowed.
absl::StatusOr<int> ParseValue(const Trait& trait, std::string_view text);

/// "128", or the name of an enumerator.
std::string PrintValue(const Trait& trait, int value);

/// All configs of a family, built in or not, as lists of numbers: one for each trait.
class ConfigSpace {
 public:
  using Values = std::vector<int>;

  virtual ~ConfigSpace() = default;
  virtual std::string_view family() const = 0;
  const std::vector<Trait>& traits() const { return traits_; }
  bool HasTarget(Gfx gfx) const { return (gfx == Gfx::kSm90a) == is_nvidia_; }

  /// The name of a config's instance (InstanceInfo::name), and the config of a name.
  virtual std::string NameOf(const Values& values, Direction direction) const = 0;
  virtual absl::StatusOr<Values> Parse(std::string_view name, Direction direction) const = 0;

  /// OK, or kInvalidArgument with a sentence that says why the target has no such kernel.
  absl::Status Check(const Values& values, Direction direction, Gfx gfx) const;

  /// The source of its kernel, an include of compile_instances.h and a line as in a list of
  /// instances, and the kernel's symbol.
  std::string Source(const Values& values, Direction direction) const;
  std::string Symbol() const;

  /// The kernel of that code for the target, for PartsFamily.
  virtual std::shared_ptr<const PartKernel> MakeKernel(const Values& values, Direction direction,
                                                       Gfx gfx, KernelCode code) const = 0;

 protected:
  explicit ConfigSpace(bool is_nvidia) : is_nvidia_(is_nvidia) {}

  /// Reject's sentence for values within their limits, or null.
  virtual const char* Reject(const Values& values, Direction direction, Gfx gfx) const = 0;
  /// The macro that a line of instances begins with.
  virtual std::string_view Macro(Direction direction) const = 0;
  /// Traits before the config's own: the macro's first argument.
  virtual std::size_t MacroArguments() const { return 0; }

  std::vector<Trait> traits_;

 private:
  const bool is_nvidia_;
};

/// The spaces of all families: tile, direct, ck, hopper.
std::span<const ConfigSpace* const> ConfigSpaces();

/// The space of a family; else kInvalidArgument, which names the families.
absl::StatusOr<const ConfigSpace*> FindConfigSpace(std::string_view family);

}  // namespace gridwise
