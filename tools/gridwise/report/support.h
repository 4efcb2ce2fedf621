#pragma once

#include <string>

namespace gridwise {

/// What computes which convolutions and matrix multiplications, as a Markdown table of families and
/// their ops by target, type and layout. It is made by asking the planner: a cell says which of
/// small problems, 3x3 and 1x1 of 1 to 3 axes in every layout, or matrices in every order, have a
/// plan. `family` narrows it; empty: all.
std::string SupportTable(const std::string& family);

}  // namespace gridwise
