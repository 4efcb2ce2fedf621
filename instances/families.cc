#include "instances/families.h"

#include <mutex>

#include "absl/base/no_destructor.h"
#include "absl/strings/str_format.h"
#include "instances/direct/family.h"
#include "instances/hopper/family.h"
#include "instances/tile/family.h"

namespace gridwise {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<const KernelFamily*> families = {&tile::Family(), &direct::Family(),
                                               &hopper::Family()};
};

Registry& TheRegistry() {
  static absl::NoDestructor<Registry> registry;
  return *registry;
}

}  // namespace

std::vector<const KernelFamily*> Families() {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  return registry.families;
}

absl::Status RegisterFamily(const KernelFamily& family) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  for (const KernelFamily* known : registry.families) {
    if (known->name() == family.name()) {
      return absl::AlreadyExistsError(
          absl::StrFormat("a kernel family is called %s already", family.name()));
    }
  }
  registry.families.push_back(&family);
  return absl::OkStatus();
}

}  // namespace gridwise
