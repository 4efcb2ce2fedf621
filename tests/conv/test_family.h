// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace gridwise {

/// The families that this test run is about, from GRIDWISE_TEST_FAMILY ("tile,direct"), each as
/// PlanOptions::family: one that is empty, for all, if it is not set.
std::vector<std::string> TestFamilies();

}  // namespace gridwise
