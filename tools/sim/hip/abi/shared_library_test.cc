// SPDX-License-Identifier: MIT
// The shared library as a program's loader sees it: its names, its symbols and their versions.

#include <dlfcn.h>

#include <cstring>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "hip/hip_runtime_api.h"
#include "hip/hiprtc.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#undef hipGetDeviceProperties
#include "hip/hip_deprecated.h"  // needs what comes before

namespace gridwise::sim {
namespace {

constexpr char kFolder[] = "tools/sim/hip/lib/";

void* Load(const std::string& name) {
  setenv("GRIDWISE_SIM_DEVICES", "gfx942", 1);
  void* library = dlopen((kFolder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return library;
}

template <typename Function>
Function* Versioned(void* library, const char* name, const char* version) {
  return reinterpret_cast<Function*>(dlvsym(library, name, version));
}

TEST(SharedLibrary, AllNamesAreOneLibrary) {
  void* const library = Load("libamdhip64.so.6");
  for (const char* name : {"libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.7"})
    EXPECT_EQ(Load(name), library) << name;
}

TEST(SharedLibrary, SymbolsHaveTheVersionThatTheyCameWith) {
  void* const library = Load("libamdhip64.so.6");
  const struct {
    const char* name;
    const char* version;
  } kSymbols[] = {
      {"hipMalloc", "hip_4.2"},          {"__hipRegisterFatBinary", "hip_4.2"},
      {"hipGraphCreate", "hip_4.3"},     {"hipStreamWaitValue32", "hip_4.4"},
      {"hipMallocAsync", "hip_5.1"},     {"hipMemcpy_spt", "hip_5.2"},
      {"hipLaunchHostFunc", "hip_5.3"},  {"hipGetDevicePropertiesR0600", "hip_6.0"},
      {"hipGetProcAddress", "hip_6.1"},  {"hipGetFuncBySymbol", "hip_6.2"},
      {"hipLaunchKernelExC", "hip_6.5"}, {"hipLibraryLoadData", "hip_7.2"},
  };
  for (const auto& [name, version] : kSymbols)
    EXPECT_NE(dlvsym(library, name, version), nullptr) << name << "@" << version;
  EXPECT_EQ(dlvsym(library, "hipMallocAsync", "hip_4.2"), nullptr);
}

TEST(SharedLibrary, RunTimeCompilationIsLibhiprtcs) {
  // A library that is loaded is found by its soname.
  void* const compiler = dlopen("tools/sim/hip/abi/hiprtc_stand_in.so", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(compiler, nullptr) << dlerror();
  void* const library = Load("libamdhip64.so.6");
  auto* const version = Versioned<hiprtcResult(int*, int*)>(library, "hiprtcVersion", "hip_4.2");
  ASSERT_NE(version, nullptr);
  int major = 0, minor = 0;
  EXPECT_EQ(version(&major, &minor), HIPRTC_SUCCESS);
  EXPECT_EQ(major, 77);
  EXPECT_EQ(minor, 5);
  auto* const error =
      Versioned<const char*(hiprtcResult)>(library, "hiprtcGetErrorString", "hip_4.2");
  EXPECT_STREQ(error(HIPRTC_SUCCESS), "the stand-in's");
  // What it lacks is refused.
  auto* const destroy =
      Versioned<hiprtcResult(hiprtcProgram*)>(library, "hiprtcDestroyProgram", "hip_4.2");
  EXPECT_EQ(static_cast<int>(destroy(nullptr)), hipErrorNotSupported);
}

TEST(SharedLibrary, Hip5AndHip6ReadPropertiesInTheirOwnLayout) {
  void* const library = Load("libamdhip64.so.5");
  auto* const hip5 = Versioned<hipError_t(hipDeviceProp_tR0000*, int)>(
      library, "hipGetDeviceProperties", "hip_4.2");
  auto* const hip6 = Versioned<hipError_t(hipDeviceProp_tR0600*, int)>(
      library, "hipGetDevicePropertiesR0600", "hip_6.0");
  ASSERT_NE(hip5, nullptr);
  ASSERT_NE(hip6, nullptr);
  struct {
    hipDeviceProp_tR0000 properties;
    char beyond[64];
  } old;
  std::memset(static_cast<void*>(&old), 0x5a, sizeof(old));
  hipDeviceProp_tR0600 current;
  ASSERT_EQ(hip5(&old.properties, 0), hipSuccess);
  ASSERT_EQ(hip6(&current, 0), hipSuccess);
  EXPECT_STREQ(old.properties.gcnArchName, "gfx942:sramecc+:xnack-");
  EXPECT_STREQ(current.gcnArchName, "gfx942:sramecc+:xnack-");
  EXPECT_STREQ(old.properties.name, current.name);
  EXPECT_EQ(old.properties.gcnArch, 940);
  EXPECT_EQ(old.properties.warpSize, 64);
  EXPECT_EQ(old.properties.multiProcessorCount, 304);
  EXPECT_EQ(old.properties.sharedMemPerBlock, size_t{64} << 10);
  EXPECT_EQ(old.properties.totalGlobalMem, size_t{192} << 30);
  for (const char byte : old.beyond) EXPECT_EQ(byte, 0x5a) << "written past the old structure";
}

TEST(SharedLibrary, EntryPointsAreFoundByName) {
  void* const library = Load("libamdhip64.so.7");  // nobody else can see its symbols
  using GetEntryPoint = int(const char*, void**, unsigned long long, int*);
  auto* const get = Versioned<GetEntryPoint>(library, "hipGetDriverEntryPoint", "hip_7.1");
  auto* const get_per_thread =
      Versioned<GetEntryPoint>(library, "hipGetDriverEntryPoint_spt", "hip_7.1");
  auto* const get_address = Versioned<int(const char*, void**, int, uint64_t, int*)>(
      library, "hipGetProcAddress_spt", "hip_7.2");
  ASSERT_NE(get, nullptr);
  ASSERT_NE(get_per_thread, nullptr);
  ASSERT_NE(get_address, nullptr);
  constexpr unsigned long long kPerThread = 2;
  void* const copy = dlvsym(library, "hipMemcpy", "hip_4.2");
  void* const copy_per_thread = dlvsym(library, "hipMemcpy_spt", "hip_5.2");
  void* found = nullptr;
  int result = -1;
  EXPECT_EQ(get("hipMemcpy", &found, 0, &result), hipSuccess);
  EXPECT_EQ(found, copy);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(get("hipMemcpy", &found, kPerThread, &result), hipSuccess);
  EXPECT_EQ(found, copy_per_thread);
  EXPECT_EQ(get_per_thread("hipMemcpy", &found, 0, nullptr), hipSuccess);
  EXPECT_EQ(found, copy_per_thread);
  EXPECT_EQ(get_address("hipMemcpy", &found, 70200000, 0, nullptr), hipSuccess);
  EXPECT_EQ(found, copy_per_thread);
  EXPECT_EQ(get("hipNoSuchCall", &found, 0, &result), hipErrorInvalidValue);
  EXPECT_EQ(result, 1);
  EXPECT_EQ(found, nullptr);
}

TEST(SharedLibrary, NewLaunchCallsAreNoStandIns) {
  void* const library = Load("libamdhip64.so.7");
  testing::internal::CaptureStderr();
  for (const char* name : {"hipLaunchKernelExC", "hipDrvLaunchKernelEx"}) {
    auto* const launch =
        Versioned<int(const void*, const void*, void**, void**)>(library, name, "hip_6.5");
    ASSERT_NE(launch, nullptr);
    EXPECT_EQ(launch(nullptr, nullptr, nullptr, nullptr), hipErrorInvalidValue);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(SharedLibrary, UnsupportedCallsSaySo) {
  void* const library = Load("libamdhip64.so.6");
  auto* const print =
      Versioned<int(void*, const char*, unsigned)>(library, "hipGraphDebugDotPrint", "hip_5.3");
  testing::internal::CaptureStderr();
  EXPECT_EQ(print(nullptr, nullptr, 0), hipErrorNotSupported);
  EXPECT_EQ(print(nullptr, nullptr, 0), hipErrorNotSupported);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "gridwise sim: hipGraphDebugDotPrint is not supported; it returns hipErrorNotSupported\n");
}

TEST(SharedLibrary, NothingElseIsExported) {
  auto buffer = llvm::MemoryBuffer::getFile(std::string(kFolder) + "libamdhip64.so");
  ASSERT_TRUE(buffer);
  auto object =
      llvm::object::ELFObjectFile<llvm::object::ELF64LE>::create((*buffer)->getMemBufferRef());
  ASSERT_TRUE(static_cast<bool>(object));
  int exported = 0;
  for (const llvm::object::ELFSymbolRef symbol : object->getDynamicSymbolIterators()) {
    if (llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined) continue;
    const std::string name = llvm::cantFail(symbol.getName()).str();
    const std::string_view stem =
        absl::StartsWith(name, "_Z24") ? std::string_view(name).substr(4) : std::string_view(name);
    const bool api = absl::StartsWith(stem, "hip") || absl::StartsWith(stem, "__hip") ||
                     absl::StartsWith(stem, "gridwise") || absl::StartsWith(stem, "__gnu_") ||
                     absl::StartsWith(stem, "amd_dbgapi_");
    EXPECT_TRUE(api) << name;
    ++exported;
  }
  EXPECT_GT(exported, 500);
}

}  // namespace
}  // namespace gridwise::sim
