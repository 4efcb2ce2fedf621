#include "tests/conv/test_family.h"

#include <cstdlib>

#include "absl/log/check.h"
#include "instances/ck/family.h"
#include "instances/families.h"

namespace gridwise {

std::string TestFamily() {
  static const std::string family = [] {
    const char* const name = std::getenv("GRIDWISE_TEST_FAMILY");
    if (name == nullptr) return std::string();
    for (const KernelFamily* known : Families()) {
      if (known->name() == name) return std::string(name);
    }
    CHECK_EQ(ck::Family().name(), name) << "GRIDWISE_TEST_FAMILY is no family";
    CHECK_OK(RegisterFamily(ck::Family()));
    return std::string(name);
  }();
  return family;
}

}  // namespace gridwise
