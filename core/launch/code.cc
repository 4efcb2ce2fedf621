// SPDX-License-Identifier: MIT
#include "core/launch/code.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "core/launch/instance_symbol.h"

namespace gridwise {

std::string_view ObjectOf(CodeObjects objects, Gfx gfx, std::size_t shard) {
  const auto is_for = [gfx](const CodeObject& object) { return object.gfx == Name(gfx); };
  const auto first = std::find_if(objects.begin(), objects.end(), is_for);
  const auto shards = std::count_if(first, objects.end(), is_for);
  if (std::cmp_greater_equal(shard, shards)) return {};
  return std::next(first, static_cast<std::ptrdiff_t>(shard))->data;
}

std::optional<KernelCode> CodeOfInstance(CodeObjects objects, Gfx gfx, std::string_view family,
                                         const InstanceCode& instance) {
  const std::string_view object = ObjectOf(objects, gfx, instance.shard);
  std::string symbol = InstanceSymbol(family, instance.hash);
  if (!object.empty() && !HasKernel(object, symbol)) return std::nullopt;
  return KernelCode{.object = object, .symbol = std::move(symbol)};
}

KernelNeeds NeedsOfInstance(std::span<const InstanceNeeds> list, std::string_view config,
                            const KernelCode& code) {
  const auto found = std::ranges::find(list, config, &InstanceNeeds::config);
  return found == list.end() ? NeedsOf(code.object, code.symbol) : found->needs;
}

KernelCode CodeOf(std::string_view object, std::string symbol) {
  const KernelNeeds needs = NeedsOf(object, symbol);
  return {.object = object, .symbol = std::move(symbol), .needs = needs};
}

}  // namespace gridwise
