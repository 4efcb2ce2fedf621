#include "hopper/kernels.h"

#include <cstddef>
#include <utility>

#include "core/base/fields_text.h"
#include "core/launch/plan_epilogue.h"
#include "hopper/plan.h"

namespace gridwise::hopper {
namespace {

template <class Args>
PartLaunch LaunchOf(const KernelCode& code, Plan<Args> plan) {
  return {.launch = {.code = code,
                     .shape = plan.shape,
                     .arguments = BytesOf(plan.args),
                     .addresses = EpilogueAddresses(offsetof(Args, epilogue), plan.args.epilogue),
                     .maps = std::move(plan.maps),
                     .map = {}},
          .table = {}};
}

class Kernel final : public PartKernel {
 public:
  Kernel(const Config& config, KernelCode code) : config_(config), code_(std::move(code)) {}

  std::string name() const override { return PrintFields(config_); }
  DataType type() const override { return config_.type; }
  const KernelCode& code() const override { return code_; }
  bool has_epilogue() const override { return true; }
  std::optional<std::string> Reject(const ConvProblem& problem, int /*splits*/) const override {
    return RejectProblem(config_, problem);
  }
  std::optional<Excess> TooLarge(const ConvProblem& problem,
                                 std::int64_t /*limit*/) const override {
    return TooLargeForLaunch(problem);
  }
  PartEstimate Estimate(const PartRequest& request) const override {
    return EstimateLaunch(config_, request);
  }
  PartLaunch MakeLaunch(const PartRequest& request) const override {
    return config_.direction == Direction::kBackwardWeight
               ? LaunchOf(code_, PlanWeight(config_, request))
               : LaunchOf(code_, PlanGather(config_, request));
  }

 private:
  const Config config_;
  const KernelCode code_;
};

}  // namespace

std::shared_ptr<const PartKernel> MakeKernel(const Config& config, KernelCode code) {
  return std::make_shared<Kernel>(config, std::move(code));
}

}  // namespace gridwise::hopper
