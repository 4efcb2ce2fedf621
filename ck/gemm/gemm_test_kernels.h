// SPDX-License-Identifier: MIT
#pragma once

#include "ck/gemm/args.h"
#include "ck/gemm/functions.h"
#include "ck/gemm/gemm_test_instances.h"
#include "ck/gemm/kernel.h"
#include "ck/gemm/reject.h"

namespace gridwise::ck {

template <int kRow>
GRIDWISE_KERNEL __attribute__((amdgpu_flat_work_group_size(kTestRows[kRow].threads(),
                                                           kTestRows[kRow].threads()),
                               amdgpu_waves_per_eu(kTestRows[kRow].occupancy))) void
TestGemm(GemmArgs<Functions<>>) {
  Gemm<kTestRows[kRow], Functions<>>();
}

/// Compiles an instance for every unit that the target has.
template <int kRow>
void CompileInstance() {
  if constexpr (kRow < static_cast<int>(kTestRows.size())) {
    if constexpr (Reject(kTestRows[kRow], kThisTarget) == nullptr) {
      static_cast<void>(&TestGemm<kRow>);
    }
    CompileInstance<kRow + kRowsOfUnit>();
  }
}

}  // namespace gridwise::ck

#define ROW(row)                                  \
  namespace gridwise::ck {                        \
  void Compile##row() { CompileInstance<row>(); } \
  }
