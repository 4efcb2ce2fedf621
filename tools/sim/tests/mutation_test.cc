#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/isa/decode.h"
#include "tools/sim/tests/gpu.h"
#include "tools/sim/tests/group_kernels_o3.h"

// Whether check mode notices what is missing: each wait, barrier and s_nop of compiled kernels is
// replaced by s_nop 0, one at a time, and something must be found. The kernels as they are must be
// silent. Mutants that survive are those whose wait covers nothing on the path that is executed, or
// more than one instruction covers; the score must not drop.

namespace gridwise::sim {
namespace {

constexpr uint32_t kNop = 0xbf800000;  // s_nop 0 of gfx9

struct Site {
  std::string kernel;
  size_t offset;  // of the instruction in the ELF
  uint64_t pc;    // from the kernel's entry
  std::string text;
};

bool IsMutable(std::string_view text) {
  return absl::StartsWith(text, "s_waitcnt") || text == "s_barrier" ||
         (absl::StartsWith(text, "s_nop ") && text != "s_nop 0");
}

/// The sites in the function `name` of the ELF `image`.
std::vector<Site> Sites(const llvm::object::ObjectFile& file, std::string_view image,
                        std::string_view name) {
  std::vector<Site> sites;
  absl::StatusOr<std::unique_ptr<Decoder>> decoder = Decoder::Create("gfx942");
  for (const llvm::object::ELFSymbolRef symbol :
       llvm::cast<llvm::object::ELFObjectFileBase>(file).symbols()) {
    if (std::string_view(llvm::cantFail(symbol.getName())) != name) continue;
    const llvm::object::SectionRef section = *llvm::cantFail(symbol.getSection());
    const size_t begin =
        static_cast<size_t>(llvm::cantFail(section.getContents()).data() - image.data() +
                            llvm::cantFail(symbol.getAddress()) - section.getAddress());
    for (uint64_t pc = 0; pc < symbol.getSize();) {
      const auto* code = reinterpret_cast<const uint8_t*>(image.data()) + begin + pc;
      const absl::StatusOr<Decoder::Decoded> decoded =
          (*decoder)->Decode(code, symbol.getSize() - pc, pc);
      if (!decoded.ok()) break;
      if (IsMutable(decoded->text))
        sites.push_back({std::string(name), begin + pc, pc, decoded->text});
      pc += decoded->bytes;
    }
  }
  return sites;
}

/// Loads `image` and runs `kernel` on 4 workgroups of 256: how many findings there are, and -1 for
/// an error without one.
int FindingsOf(const std::string& image, const std::string& kernel) {
  gridwiseSimClearFindings();
  hipModule_t module;
  hipFunction_t function;
  if (hipModuleLoadData(&module, image.data()) != hipSuccess) return -1;
  const Words in(RandomWords(2048, 1)), out(std::vector<uint32_t>(4096, 0));
  const uint32_t* in_address = in.device();
  uint32_t* out_address = out.device();
  int n = 64;
  void* arguments[] = {&in_address, &out_address, &n};
  hipError_t error = hipModuleGetFunction(&function, module, kernel.c_str());
  if (error == hipSuccess)
    error = hipModuleLaunchKernel(function, 4, 1, 1, 256, 1, 1, 4096, nullptr, arguments, nullptr);
  const int findings = gridwiseSimFindingCount();
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  return error != hipSuccess && findings == 0 ? -1 : findings;
}

TEST(Mutation, EveryMissingWaitBarrierAndNopIsFound) {
  ASSERT_EQ(gridwiseSimCheck("check"), 0);
  const std::string_view image = GroupKernelsO3()[0].data;
  const std::unique_ptr<llvm::object::ObjectFile> file = llvm::cantFail(
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(image, "kernels")));
  int mutants = 0, killed = 0;
  for (const char* kernel : {"ReduceTree", "Scan", "Softmax", "BitonicSort", "ShuffleSum",
                             "Swizzles", "DataParallelPrimitives", "LdsAtomics", "LdsWidths",
                             "FlatPointers", "DynamicLds", "DirectToLds"}) {
    ASSERT_EQ(FindingsOf(std::string(image), kernel), 0) << kernel << " as it is";
    for (const Site& site : Sites(*file, image, kernel)) {
      std::string mutant(image);
      std::memcpy(mutant.data() + site.offset, &kNop, sizeof(kNop));
      ++mutants;
      const bool found = FindingsOf(mutant, kernel) > 0;
      killed += found;
      if (!found) absl::PrintF("survivor: %s +%#x '%s'\n", site.kernel, site.pc, site.text);
    }
  }
  absl::PrintF("killed %d of %d mutants\n", killed, mutants);
  // 76 survivors are steps of ReduceTree and BitonicSort in which a wave works with itself alone.
  EXPECT_GE(mutants, 242);
  EXPECT_LE(mutants - killed, 87);
}

}  // namespace
}  // namespace gridwise::sim
