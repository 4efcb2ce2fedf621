// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/sim/isa/testing/valu_cases.h"

namespace gridwise::sim::valu {

void AddComparisons(std::vector<Case>& cases) {
  const struct {
    const char* suffix;
    char type;
    bool is_signed;
  } kIntegers[] = {{"i16", 'h', true},  {"u16", 'h', false}, {"i32", 'b', true},
                   {"u32", 'b', false}, {"i64", 'q', true},  {"u64", 'q', false}};
  for (const auto& k : kIntegers) {
    const int shift = 64 - Bits(k.type);
    const auto add = [&](const std::string& op,
                         std::function<bool(int)> holds) {  // takes the sign of a - b
      cases.push_back({"v_cmp_" + op + "_" + k.suffix, std::string("m") + k.type + k.type,
                       [holds, shift, is_signed = k.is_signed](Args a) {
                         const u64 x = a[0] << shift, y = a[1] << shift;
                         const bool less =
                             is_signed ? static_cast<i64>(x) < static_cast<i64>(y) : x < y;
                         return M(holds(x == y ? 0 : less ? -1 : 1));
                       }});
    };
    add("f", [](int) { return false; });
    add("lt", [](int s) { return s < 0; });
    add("eq", [](int s) { return s == 0; });
    add("le", [](int s) { return s <= 0; });
    add("gt", [](int s) { return s > 0; });
    add("ne", [](int s) { return s != 0; });
    add("ge", [](int s) { return s >= 0; });
    add("t", [](int) { return true; });
  }
  for (const char t : {'e', 'f', 'd'}) {
    const std::string suffix = t == 'f' ? "f32" : t == 'd' ? "f64" : "f16";
    const struct {
      const char* name;
      bool less, equal, greater, unordered;
    } kOps[] = {{"f", 0, 0, 0, 0},   {"lt", 1, 0, 0, 0},  {"eq", 0, 1, 0, 0},  {"le", 1, 1, 0, 0},
                {"gt", 0, 0, 1, 0},  {"lg", 1, 0, 1, 0},  {"ge", 0, 1, 1, 0},  {"o", 1, 1, 1, 0},
                {"u", 0, 0, 0, 1},   {"nge", 1, 0, 0, 1}, {"nlg", 0, 1, 0, 1}, {"ngt", 1, 1, 0, 1},
                {"nle", 0, 0, 1, 1}, {"neq", 1, 0, 1, 1}, {"nlt", 0, 1, 1, 1}, {"tru", 1, 1, 1, 1}};
    for (const auto& op : kOps) {
      cases.push_back({std::string("v_cmp_") + op.name + "_" + suffix, std::string("m") + t + t,
                       [op, t](Args a) {
                         const double x = Value(a[0], t), y = Value(a[1], t);
                         if (std::isnan(x) || std::isnan(y)) return M(op.unordered);
                         return M(x < y ? op.less : x == y ? op.equal : op.greater);
                       }});
    }
  }
}

}  // namespace gridwise::sim::valu
