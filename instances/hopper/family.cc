#include "instances/hopper/family.h"

#include <cstddef>
#include <iterator>

#include "core/launch/code.h"
#include "core/launch/parts_family.h"
#include "core/launch/row_symbol.h"
#include "hopper/config.h"
#include "hopper/kernels.h"
#include "instances/hopper/sm_90a_code.h"

namespace gridwise::hopper {
namespace {

using enum DataType;

/// A line of the list of rows.
struct Row {
  int line;
  Config config;
};

#define GRIDWISE_HOPPER_LINE(way, ...) {__LINE__, {.direction = Direction::way, __VA_ARGS__}},
#define FORWARD(...) GRIDWISE_HOPPER_LINE(kForward, __VA_ARGS__)
#define BACKWARD_DATA(...) GRIDWISE_HOPPER_LINE(kBackwardData, __VA_ARGS__)
#define WEIGHT(...) GRIDWISE_HOPPER_LINE(kBackwardWeight, __VA_ARGS__)

constexpr Row kRows[] = {
#include "instances/hopper/sm_90a.inc"
};

}  // namespace

const KernelFamily& Family() {
  static const PartsFamily* const family = [] {
    auto* const made = new PartsFamily("hopper");
    for (std::size_t i = 0; i < std::size(kRows); ++i) {
      KernelCode code = {ObjectOf(Sm90aCode(), Gfx::kSm90a, i), RowSymbol("hopper", kRows[i].line)};
      made->Add(kRows[i].config.direction, Gfx::kSm90a,
                MakeKernel(kRows[i].config, std::move(code)));
    }
    return made;
  }();
  return *family;
}

}  // namespace gridwise::hopper
