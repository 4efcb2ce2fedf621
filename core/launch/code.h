// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/arch/target.h"
#include "core/conv/direction.h"
#include "core/launch/launch.h"
#include "tools/build/code_object.h"
#include "tools/config/built_directions.h"

namespace gridwise {

/// Whether //tools/config:directions named `direction` when the program was built.
constexpr bool IsBuilt(Direction direction) {
  return kBuiltDirections[static_cast<std::size_t>(direction)];
}

/// The code object of shard `shard` of a kernel table for `gfx`: that compiled for the target
/// itself, else that for another processor which runs its kernels, or their family. Empty if the
/// program has none.
std::string_view ObjectOf(CodeObjects objects, Gfx gfx, std::size_t shard = 0);

/// The code object with the kernel `code` that a device with the processor `processor` ("gfx1102")
/// runs, as HIP would choose: one that was compiled for it, else one for its family. Returns
/// kFailedPrecondition if the program has neither, with what it was built for.
absl::StatusOr<std::string_view> ObjectFor(const KernelCode& code, std::string_view processor);

/// The kernel of an instance of a kernel table: kernel_instance_codes (tools/build/defs.bzl) writes
/// a list of them next to the list of instances.
struct InstanceCode {
  std::size_t shard;
  std::string_view hash;  // of the instance's text
};

/// The kernel to which an instance of a table of `family` was compiled for `gfx`; its needs are not
/// known. Its object is empty if the program has no kernels for `gfx`. Returns nullopt if it has
/// some, but //tools/config's families, directions or types leave out this instance.
std::optional<KernelCode> CodeOfInstance(CodeObjects objects, Gfx gfx, std::string_view family,
                                         const InstanceCode& instance);

/// The needs of an instance's kernel, by the instance's printed config: plans are the same whether
/// or not the program has the kernel. Tools write lists of them (tests/isa), and a test compares
/// them with the kernels.
struct InstanceNeeds {
  std::string_view config;
  KernelNeeds needs;
};

/// The needs of `config` in a list. If it is not there, such as an instance that was just added:
/// those of the compiled kernel.
KernelNeeds NeedsOfInstance(std::span<const InstanceNeeds> list, std::string_view config,
                            const KernelCode& code);

/// The kernel `symbol` of a code object, and its needs.
KernelCode ReadKernelCode(std::string_view object, std::string symbol);

}  // namespace gridwise
