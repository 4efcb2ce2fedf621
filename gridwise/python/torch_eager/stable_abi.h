// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

namespace gridwise::torch_eager {

// PyTorch's stable C ABI, as far as it is used here: torch/csrc/inductor/aoti_torch/c/shim.h and
// torch/csrc/stable/c/shim.h. Functions are found at run time, so that one library serves every
// version that has them.

struct TensorObject;
struct ListObject;
struct LibraryObject;
struct GuardObject;
/// An argument or result: a number, a bool in its lowest byte, an owned tensor or list, or a
/// pointer to another value that is null where there is none.
using Value = std::uint64_t;
using Kernel = void (*)(Value* stack, std::uint64_t arguments, std::uint64_t results);

/// Functions return 0, or another number for an exception, whose words they print.
#define GRIDWISE_TORCH_FUNCTIONS(F)                                                                \
  F(init_library, "aoti_torch_library_init_impl",                                                  \
    (const char* space, const char* key, const char* file, std::uint32_t line, LibraryObject**))   \
  F(implement, "torch_library_impl",                                                               \
    (LibraryObject*, const char* op, Kernel, std::uint64_t version))                               \
  F(call, "torch_call_dispatcher",                                                                 \
    (const char* op, const char* overload, Value* stack, std::uint64_t version))                   \
  F(delete_tensor, "aoti_torch_delete_tensor_object", (TensorObject*))                             \
  F(new_undefined, "aoti_torch_new_uninitialized_tensor", (TensorObject**))                        \
  F(dim, "aoti_torch_get_dim", (TensorObject*, std::int64_t*))                                     \
  F(sizes, "aoti_torch_get_sizes", (TensorObject*, std::int64_t**))                                \
  F(strides, "aoti_torch_get_strides", (TensorObject*, std::int64_t**))                            \
  F(dtype, "aoti_torch_get_dtype", (TensorObject*, std::int32_t*))                                 \
  F(device_type, "aoti_torch_get_device_type", (TensorObject*, std::int32_t*))                     \
  F(device_index, "aoti_torch_get_device_index", (TensorObject*, std::int32_t*))                   \
  F(data, "aoti_torch_get_data_ptr", (TensorObject*, void**))                                      \
  F(empty, "aoti_torch_empty_strided",                                                             \
    (std::int64_t dim, const std::int64_t* sizes, const std::int64_t* strides, std::int32_t dtype, \
     std::int32_t device_type, std::int32_t device_index, TensorObject**))                         \
  F(copy, "aoti_torch_copy_", (TensorObject * to, TensorObject * from, std::int32_t non_blocking)) \
  F(storage_offset, "aoti_torch_get_storage_offset", (TensorObject*, std::int64_t*))               \
  F(view, "aoti_torch__reinterpret_tensor",                                                        \
    (TensorObject*, std::int64_t dim, const std::int64_t* sizes, const std::int64_t* strides,      \
     std::int64_t storage_offset, TensorObject**))                                                 \
  F(new_list, "torch_new_list_reserve_size", (std::size_t, ListObject**))                          \
  F(list_push, "torch_list_push_back", (ListObject*, Value))                                       \
  F(list_size, "torch_list_size", (ListObject*, std::size_t*))                                     \
  F(list_item, "torch_list_get_item", (ListObject*, std::size_t, Value*))                          \
  F(delete_list, "torch_delete_list", (ListObject*))                                               \
  F(current_device, "aoti_torch_get_current_device_index", (std::int32_t*))                        \
  F(new_guard, "aoti_torch_create_device_guard", (std::int32_t device_index, GuardObject**))       \
  F(delete_guard, "aoti_torch_delete_device_guard", (GuardObject*))

struct Torch {
#define GRIDWISE_TORCH_DECLARE(name, symbol, parameters) std::int32_t(*name) parameters = nullptr;
  GRIDWISE_TORCH_FUNCTIONS(GRIDWISE_TORCH_DECLARE)
#undef GRIDWISE_TORCH_DECLARE
  // Null in a PyTorch without GPUs.
  std::int32_t (*cuda_stream)(std::int32_t device_index, void**) = nullptr;
  std::int32_t (*cuda_add)(TensorObject*, TensorObject*, double, TensorObject**) = nullptr;
  std::int32_t f16 = 0, bf16 = 0, f32 = 0, u8 = 0, cuda = 0;
};

/// Finds the functions from a library of PyTorch on, among those that it needs. Returns a sentence
/// where one is missing, else null.
const char* Open(const char* library);
const Torch& TheTorch();

/// The version of PyTorch whose conventions values follow: 2.11.
inline constexpr std::uint64_t kVersion = std::uint64_t{0x020b} << 48;

}  // namespace gridwise::torch_eager
