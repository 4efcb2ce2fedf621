// SPDX-License-Identifier: MIT
#include "gridwise/python/torch_eager/stable_abi.h"

#include <dlfcn.h>

#include <string>

namespace gridwise::torch_eager {
namespace {

Torch& Found() {
  static Torch torch;
  return torch;
}

template <class Function>
bool Find(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function != nullptr;
}

}  // namespace

const Torch& TheTorch() { return Found(); }

const char* Open(const char* path) {
  static std::string error;
  void* const library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) {
    error = std::string(path) + " is not loaded";
    return error.c_str();
  }
  Torch& torch = Found();
  const char* missing = nullptr;
#define GRIDWISE_TORCH_FIND(name, symbol, parameters) \
  if (!Find(library, symbol, torch.name)) missing = symbol;
  GRIDWISE_TORCH_FUNCTIONS(GRIDWISE_TORCH_FIND)
#undef GRIDWISE_TORCH_FIND
  const auto number = [&](const char* symbol) {
    std::int32_t (*function)() = nullptr;
    if (!Find(library, symbol, function)) missing = symbol;
    return function == nullptr ? -1 : function();
  };
  torch.f16 = number("aoti_torch_dtype_float16");
  torch.bf16 = number("aoti_torch_dtype_bfloat16");
  torch.f32 = number("aoti_torch_dtype_float32");
  torch.u8 = number("aoti_torch_dtype_uint8");
  torch.cuda = number("aoti_torch_device_type_cuda");
  const bool has_gpus = Find(library, "aoti_torch_get_current_cuda_stream", torch.cuda_stream);
  if (has_gpus && !Find(library, "aoti_torch_cuda_add_Tensor", torch.cuda_add))
    missing = "aoti_torch_cuda_add_Tensor";
  if (missing == nullptr) return nullptr;
  error = std::string("this PyTorch has no ") + missing + "; 2.11 has it";
  return error.c_str();
}

}  // namespace gridwise::torch_eager
