// SPDX-License-Identifier: MIT
#include "core/launch/code.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/arch/find_product.h"
#include "core/launch/instance_symbol.h"

namespace gridwise {
namespace {

/// The code object of shard `shard` among those that were compiled for `name`; empty if none was.
std::string_view ObjectCompiledFor(CodeObjects objects, std::string_view name, std::size_t shard) {
  const auto is_for = [name](const CodeObject& object) { return object.gfx == name; };
  const auto first = std::find_if(objects.begin(), objects.end(), is_for);
  const auto shards = std::count_if(first, objects.end(), is_for);
  if (std::cmp_greater_equal(shard, shards)) return {};
  return std::next(first, static_cast<std::ptrdiff_t>(shard))->data;
}

/// What `objects` were compiled for, each once.
std::vector<std::string_view> NamesOf(CodeObjects objects) {
  std::vector<std::string_view> names;
  for (const CodeObject& object : objects) {
    if (std::ranges::find(names, object.gfx) == names.end()) names.push_back(object.gfx);
  }
  return names;
}

}  // namespace

std::string_view ObjectOf(CodeObjects objects, Gfx gfx, std::size_t shard) {
  const std::string_view own = ObjectCompiledFor(objects, Name(gfx), shard);
  if (!own.empty()) return own;
  const auto other = std::ranges::find_if(objects, [gfx](const CodeObject& object) {
    return std::ranges::any_of(kProcessors, [&](const Processor& processor) {
      return processor.gfx == gfx && RunsCodeFor(processor, object.gfx);
    });
  });
  return other == objects.end() ? std::string_view()
                                : ObjectCompiledFor(objects, other->gfx, shard);
}

absl::StatusOr<std::string_view> ObjectFor(const KernelCode& code, std::string_view processor) {
  if (code.objects.empty()) return code.object;  // the only one
  const std::string_view own = ObjectCompiledFor(code.objects, processor, code.shard);
  if (!own.empty()) return own;
  const Processor* const known = FindProcessor(processor);
  const std::string_view generic = known == nullptr ? "" : known->generic;
  if (!generic.empty()) {
    const std::string_view of_family = ObjectCompiledFor(code.objects, generic, code.shard);
    if (!of_family.empty()) return of_family;
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "this program was built without kernels for ", processor, ", only for ",
      absl::StrJoin(NamesOf(code.objects), ", "),
      "; build it with --//tools/config:targets=", generic.empty() ? processor : generic));
}

std::optional<KernelCode> CodeOfInstance(CodeObjects objects, Gfx gfx, std::string_view family,
                                         const InstanceCode& instance) {
  const std::string_view object = ObjectOf(objects, gfx, instance.shard);
  std::string symbol = InstanceSymbol(family, instance.hash);
  if (!object.empty() && !HasKernel(object, symbol)) return std::nullopt;
  return KernelCode{
      .object = object, .symbol = std::move(symbol), .objects = objects, .shard = instance.shard};
}

KernelNeeds NeedsOfInstance(std::span<const InstanceNeeds> list, std::string_view config,
                            const KernelCode& code) {
  const auto found = std::ranges::find(list, config, &InstanceNeeds::config);
  return found == list.end() ? ReadKernelNeeds(code.object, code.symbol) : found->needs;
}

KernelCode ReadKernelCode(std::string_view object, std::string symbol) {
  const KernelNeeds needs = ReadKernelNeeds(object, symbol);
  return {.object = object, .symbol = std::move(symbol), .needs = needs};
}

}  // namespace gridwise
