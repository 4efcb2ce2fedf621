#pragma once

#include <string>

namespace gridwise {

/// The family that this test run is about, from GRIDWISE_TEST_FAMILY, as PlanOptions::family: empty
/// for all that plans choose from by default. One that is not among these is registered.
std::string TestFamily();

}  // namespace gridwise
