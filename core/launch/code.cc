#include "core/launch/code.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace gridwise {

std::string_view ObjectOf(CodeObjects objects, Gfx gfx, std::size_t row) {
  const auto is_for = [gfx](const CodeObject& object) { return object.gfx == Name(gfx); };
  const auto first = std::find_if(objects.begin(), objects.end(), is_for);
  const auto shards = std::count_if(first, objects.end(), is_for);
  if (shards == 0) return {};
  return std::next(first, static_cast<std::ptrdiff_t>(row) % shards)->data;
}

std::optional<KernelCode> CodeOfRow(CodeObjects objects, Gfx gfx, std::size_t row,
                                    std::string symbol) {
  const std::string_view object = ObjectOf(objects, gfx, row);
  if (!object.empty() && !HasKernel(object, symbol)) return std::nullopt;
  return KernelCode{.object = object, .symbol = std::move(symbol)};
}

KernelNeeds NeedsOfRow(std::span<const RowNeeds> list, std::string_view config,
                       const KernelCode& code) {
  const auto found = std::ranges::find(list, config, &RowNeeds::config);
  return found == list.end() ? NeedsOf(code.object, code.symbol) : found->needs;
}

KernelCode CodeOf(std::string_view object, std::string symbol) {
  const KernelNeeds needs = NeedsOf(object, symbol);
  return {.object = object, .symbol = std::move(symbol), .needs = needs};
}

}  // namespace gridwise
