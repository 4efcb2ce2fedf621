#include "ck/gemm/args.h"
#include "ck/gemm/functions.h"
#include "ck/gemm/gemm_test_rows.h"
#include "ck/gemm/kernel.h"

namespace gridwise::ck {

template <int kRow>
GRIDWISE_KERNEL __attribute__((amdgpu_flat_work_group_size(kTestRows[kRow].threads(),
                                                           kTestRows[kRow].threads()),
                               amdgpu_waves_per_eu(kTestRows[kRow].occupancy))) void
TestGemm(GemmArgs<Functions<>>) {
  Gemm<kTestRows[kRow], Functions<>>();
}

template <int kRow>
void CompileRows() {
  if constexpr (kRow < static_cast<int>(kTestRows.size())) {
    if constexpr (Reject(kTestRows[kRow], kThisTarget) == nullptr) {
      static_cast<void>(&TestGemm<kRow>);
    }
    CompileRows<kRow + GRIDWISE_SHARDS>();
  }
}

void Compile() { CompileRows<GRIDWISE_SHARD>(); }

}  // namespace gridwise::ck
