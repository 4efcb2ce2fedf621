# SPDX-License-Identifier: MIT
# Sourced by the findings about oneDNN: its version of Debian 12, on one thread of the CPU. DNNL_MAX_CPU_ISA chooses its kernels.
source "${BASH_SOURCE[0]%/*}/debian.sh"
packages libdnnl-dev=2.6.3-1 libdnnl2=2.6.3-1 ocl-icd-libopencl1

export LD_LIBRARY_PATH=$libraries OMP_NUM_THREADS=1
# compile_onednn <SOURCE: C++ after the following lines
compile_onednn() {
  {
    cat <<'CPP'
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dnnl.hpp>
#include <vector>
using namespace dnnl;
using Tag = memory::format_tag;
using Type = memory::data_type;
engine cpu(engine::kind::cpu, 0);
stream in_order(cpu);

memory Empty(const memory::desc& desc) { return memory(desc, cpu); }
template <class T>
memory Make(const memory::desc& desc, const std::vector<T>& values) {
  memory made(desc, cpu);
  std::memcpy(made.get_data_handle(), values.data(), values.size() * sizeof(T));
  return made;
}
memory As(memory from, const memory::desc& desc) {
  memory to(desc, cpu);
  reorder(from, to).execute(in_order, from, to);
  in_order.wait();
  return to;
}
template <class T>
void Print(const memory& values, int count) {
  const T* const first = static_cast<const T*>(values.get_data_handle());
  for (int i = 0; i < count; ++i) std::printf("%s%.9g", i > 0 ? " " : "", static_cast<double>(first[i]));
  std::printf("\n");
}
CPP
    cat
  } | compile dnnl :libOpenCL.so.1
}
