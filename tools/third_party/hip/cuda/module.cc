// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/third_party/hip/cuda/driver.h"
#include "tools/third_party/hip/cuda/launch.h"
#include "tools/third_party/hip/cuda/packed_ptx.h"

namespace gridwise::cuda {
namespace {

// CUjit_option, CUfunction_attribute.
constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;
constexpr int kMaxDynamicSharedBytes = 8;
/// Shared memory that a launch has without asking.
constexpr unsigned kDefaultSharedBytes = 48 << 10;
constexpr std::size_t kMaxParameters = 64;

/// CUlaunchAttribute, and CUlaunchConfig. CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION has x, y and z,
/// CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION 1.
constexpr int kClusterDimension = 4, kProgrammaticStreamSerialization = 6;
struct LaunchAttribute {
  int id = 0;
  int pad = 0;
  unsigned value[16] = {};  // 64 bytes
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// The block of arguments of a launch's `extra`; null where it has none.
char* BlockOf(void** extra) {
  char* block = nullptr;
  for (int i = 0; extra != nullptr && extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER) block = static_cast<char*>(extra[i + 1]);
  }
  return block;
}

/// What launches of a kernel have asked the driver for.
struct KernelFacts {
  std::vector<std::size_t> arguments;                        // where each is in a block
  std::atomic<unsigned> shared_bytes = kDefaultSharedBytes;  // shared memory that it may have
};
struct KnownKernels {
  std::shared_mutex mutex;
  std::unordered_map<hipFunction_t, std::shared_ptr<KernelFacts>> facts;
};
KnownKernels& TheKnownKernels() {
  static KnownKernels* const kernels = new KnownKernels;  // launches may outlive static objects
  return *kernels;
}

/// Where the arguments of a kernel are in HIP's block.
///
/// HIP's block begins with the first argument. CUDA's begins at a fixed place of the constant bank,
/// where a first argument that is aligned to 64 bytes, as tensor maps are, lies further after: as
/// CUDA's, HIP's block would hand every kernel with tensor maps garbage.
std::vector<std::size_t> FindArguments(const Driver& driver, hipFunction_t kernel) {
  std::vector<std::size_t> arguments;
  std::size_t at = 0, bytes = 0;
  while (arguments.size() <= kMaxParameters &&
         driver.FuncGetParamInfo(kernel, arguments.size(), &at, &bytes) == 0)
    arguments.push_back(at);
  for (std::size_t i = arguments.size(); i > 0; --i) arguments[i - 1] -= arguments[0];
  return arguments;
}

std::shared_ptr<KernelFacts> FindFacts(const Driver& driver, hipFunction_t kernel) {
  KnownKernels& known = TheKnownKernels();
  {
    const std::shared_lock lock(known.mutex);
    if (const auto found = known.facts.find(kernel); found != known.facts.end())
      return found->second;
  }
  const std::unique_lock lock(known.mutex);
  std::shared_ptr<KernelFacts>& facts = known.facts[kernel];
  if (facts == nullptr) {
    facts = std::make_shared<KernelFacts>();
    facts->arguments = FindArguments(driver, kernel);
  }
  return facts;
}

/// Forgets a kernel, whose handle another module's may have had before.
void ForgetKernel(hipFunction_t kernel) {
  KnownKernels& known = TheKnownKernels();
  const std::unique_lock lock(known.mutex);
  known.facts.erase(kernel);
}

/// The launch of a kernel whose arguments are in the block of `extra`, if there is one, and else
/// `parameters`. `launch` gets them.
template <class Launch>
hipError_t LaunchWith(hipFunction_t kernel, unsigned shared_bytes, void** parameters, void** extra,
                      const Launch& launch) {
  const Entered entered = Enter();
  if (entered.driver == nullptr) return entered.error;
  const Driver& driver = *entered.driver;
  const std::shared_ptr<KernelFacts> facts = FindFacts(driver, kernel);
  std::array<void*, kMaxParameters> pointers;
  if (char* const block = BlockOf(extra)) {
    if (facts->arguments.size() > kMaxParameters) {
      Describe(hipErrorInvalidValue, "a kernel has more than 64 arguments");
      return hipErrorInvalidValue;
    }
    for (std::size_t i = 0; i < facts->arguments.size(); ++i)
      pointers[i] = block + facts->arguments[i];
    parameters = pointers.data();
  }
  if (shared_bytes > facts->shared_bytes) {
    const hipError_t error = Translate(
        driver.FuncSetAttribute(kernel, kMaxDynamicSharedBytes, static_cast<int>(shared_bytes)));
    if (error != hipSuccess) return error;
    facts->shared_bytes = shared_bytes;
  }
  return Translate(launch(driver, parameters));
}

}  // namespace
}  // namespace gridwise::cuda

using gridwise::cuda::Call;
using gridwise::cuda::Driver;
using gridwise::cuda::Translate;

extern "C" {

/// `image` is PTX, text that ends with a zero byte, packed PTX, or a cubin. Where the driver cannot
/// assemble it, hipGetErrorString has the assembler's words.
hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  const gridwise::cuda::Entered entered = gridwise::cuda::Enter();
  if (entered.driver == nullptr) return entered.error;
  const std::optional<std::string> text = gridwise::cuda::ExpandPtx(image);
  if (text && text->empty()) {
    gridwise::cuda::Describe(hipErrorInvalidImage, "packed PTX that does not expand");
    return hipErrorInvalidImage;
  }
  std::string log(8192, '\0');
  int options[] = {gridwise::cuda::kJitErrorLog, gridwise::cuda::kJitErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  const hipError_t error = Translate(entered.driver->ModuleLoadDataEx(
      reinterpret_cast<void**>(module), text ? text->c_str() : image, 2, options, values));
  if (error != hipSuccess && log[0] != '\0') gridwise::cuda::Describe(error, log.c_str());
  return error;
}

hipError_t hipModuleUnload(hipModule_t module) { return Call<&Driver::ModuleUnload>(module); }

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  const hipError_t error =
      Call<&Driver::ModuleGetFunction>(reinterpret_cast<void**>(function), module, name);
  if (error == hipSuccess) gridwise::cuda::ForgetKernel(*function);
  return error;
}

hipError_t hipModuleLaunchKernel(hipFunction_t kernel, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared_bytes, hipStream_t stream,
                                 void** parameters, void** extra) {
  return gridwise::cuda::LaunchWith(
      kernel, shared_bytes, parameters, extra, [&](const Driver& driver, void** arguments) {
        return driver.LaunchKernel(kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                   shared_bytes, stream, arguments, nullptr);
      });
}

hipError_t hipGridwiseModuleLaunch(hipFunction_t kernel, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, hipStream_t stream,
                                   void** parameters, void** extra, unsigned cluster,
                                   int begins_early) {
  std::array<gridwise::cuda::LaunchAttribute, 2> attributes;
  gridwise::cuda::LaunchConfig config = {.grid = {grid_x, grid_y, grid_z},
                                         .block = {block_x, block_y, block_z},
                                         .shared_bytes = shared_bytes,
                                         .stream = stream,
                                         .attributes = attributes.data(),
                                         .attribute_count = 0};
  if (cluster > 1) {
    attributes[config.attribute_count++] = {.id = gridwise::cuda::kClusterDimension,
                                            .value = {cluster, 1, 1}};
  }
  if (begins_early != 0) {
    attributes[config.attribute_count++] = {.id = gridwise::cuda::kProgrammaticStreamSerialization,
                                            .value = {1}};
  }
  return gridwise::cuda::LaunchWith(
      kernel, shared_bytes, parameters, extra, [&](const Driver& driver, void** arguments) {
        return driver.LaunchKernelEx(&config, kernel, arguments, nullptr);
      });
}

}  // extern "C"
