// SPDX-License-Identifier: MIT
/// What the public headers leave out: a program that plans, tunes and launches compiles against no
/// kernel family, launch or arguments of kernels.

#include "gridwise/conv.h"
#include "gridwise/gemm.h"
#include "gridwise/plan_cache.h"
#include "gridwise/plan_text.h"
#include "gridwise/tune.h"

namespace gridwise {

class KernelFamily;
class PartKernel;
class PlanContext;
class DeviceBuffer;
struct InstanceInfo;
struct KernelLaunch;
struct SubGemm;

namespace {

template <class T>
concept IsDefined = requires { sizeof(T); };

static_assert(IsDefined<Plan> && IsDefined<GemmPlan> && IsDefined<Executable>);
static_assert(!IsDefined<LaunchPlan> && !IsDefined<KernelLaunch> && !IsDefined<GemmShape>);
static_assert(!IsDefined<KernelFamily> && !IsDefined<PartKernel> && !IsDefined<InstanceInfo>);
static_assert(!IsDefined<PlanContext> && !IsDefined<SubGemm> && !IsDefined<DeviceBuffer>);

}  // namespace
}  // namespace gridwise

int main() { return 0; }
