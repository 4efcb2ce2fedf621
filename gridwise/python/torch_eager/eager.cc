// SPDX-License-Identifier: MIT
#include "gridwise/python/torch_eager/eager.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "gridwise/python/torch_eager/stable_abi.h"

namespace gridwise::torch_eager {
namespace {

using Choice = gridwise_torch_choice;

gridwise_torch_launch launch_function = nullptr;

void Check(std::int32_t error, const char* what) {
  if (error == 0) return;
  throw std::runtime_error(std::string("gridwise: PyTorch could not ") + what +
                           "; its message is on standard error");
}

// ---- Values of PyTorch

struct DeleteTensor {
  void operator()(TensorObject* tensor) const { TheTorch().delete_tensor(tensor); }
};
using Tensor = std::unique_ptr<TensorObject, DeleteTensor>;

TensorObject* AsTensor(Value value) { return reinterpret_cast<TensorObject*>(value); }
ListObject* AsList(Value value) { return reinterpret_cast<ListObject*>(value); }
template <class Object>
Value AsValue(Object* object) {
  return reinterpret_cast<Value>(object);
}
Value NewList(std::span<const Value> items) {
  ListObject* list = nullptr;
  Check(TheTorch().new_list(items.size(), &list), "make a list");
  for (const Value item : items) Check(TheTorch().list_push(list, item), "make a list");
  return AsValue(list);
}

struct Sizes {
  std::int64_t dim;
  std::int64_t *sizes, *strides;
  std::int32_t dtype, device_type, device_index;
};
Sizes ReadSizes(TensorObject* tensor) {
  const Torch& torch = TheTorch();
  Sizes of = {};
  Check(torch.dim(tensor, &of.dim) | torch.sizes(tensor, &of.sizes) |
            torch.strides(tensor, &of.strides) | torch.dtype(tensor, &of.dtype) |
            torch.device_type(tensor, &of.device_type) |
            torch.device_index(tensor, &of.device_index),
        "say what a tensor is");
  return of;
}

Tensor Empty(std::int64_t dim, const std::int64_t* sizes, const std::int64_t* strides,
             std::int32_t dtype, const Sizes& like) {
  TensorObject* tensor = nullptr;
  Check(TheTorch().empty(dim, sizes, strides, dtype, like.device_type, like.device_index, &tensor),
        "allocate memory");
  return Tensor(tensor);
}

void* DataOf(TensorObject* tensor) {
  void* data = nullptr;
  Check(TheTorch().data(tensor, &data), "say where a tensor is");
  return data;
}
/// TMA wants tensors at multiples of 16 bytes, which views may not be.
bool IsAligned(TensorObject* tensor) {
  return reinterpret_cast<std::uintptr_t>(DataOf(tensor)) % 16 == 0;
}

/// Makes a tensor's device the current one.
class OnDevice {
 public:
  explicit OnDevice(const Sizes& of) {
    std::int32_t current = 0;
    if (of.device_type != TheTorch().cuda) return;
    Check(TheTorch().current_device(&current), "say which device is current");
    if (current != of.device_index)
      Check(TheTorch().new_guard(of.device_index, &guard_), "enter a device");
  }
  ~OnDevice() {
    if (guard_ != nullptr) TheTorch().delete_guard(guard_);
  }
  OnDevice(const OnDevice&) = delete;

 private:
  GuardObject* guard_ = nullptr;
};

// ---- What is known

/// All that a choice depends on, as bytes.
class Key {
 public:
  void Add(std::int64_t number) {
    if (count_ < numbers_.size()) numbers_[count_] = number;
    ++count_;
  }
  void AddTensor(TensorObject* tensor) {
    const Sizes of = ReadSizes(tensor);
    for (const std::int64_t number : {of.dim, std::int64_t{of.dtype}, std::int64_t{of.device_type},
                                      std::int64_t{of.device_index}})
      Add(number);
    for (std::int64_t i = 0; i < of.dim; ++i) {
      Add(of.sizes[i]);
      Add(of.strides[i]);
    }
  }
  void AddList(ListObject* list) {
    std::size_t size = 0;
    Check(TheTorch().list_size(list, &size), "say how long a list is");
    Add(static_cast<std::int64_t>(size));
    for (std::size_t i = 0; i < size; ++i) {
      Value item = 0;
      Check(TheTorch().list_item(list, i, &item), "read a list");
      Add(static_cast<std::int64_t>(item));
    }
  }
  /// The arguments of a convolution after its tensors.
  void AddParameters(const Value* from) {
    for (int i : {0, 1, 2, 4}) AddList(AsList(from[i]));
    Add(static_cast<std::int64_t>(from[3] & 1));
    Add(static_cast<std::int64_t>(from[5]));
  }
  /// The same of numbers.
  void AddParameters(const gridwise_torch_parameters& of) {
    for (const std::int64_t* numbers : {of.stride, of.padding, of.dilation, of.output_padding}) {
      Add(of.rank);
      for (std::int64_t i = 0; i < of.rank; ++i) Add(numbers[i]);
    }
    Add(of.transposed);
    Add(of.groups);
  }
  /// Empty where there is too much for a convolution.
  std::string_view bytes() const {
    if (count_ > numbers_.size()) return {};
    return {reinterpret_cast<const char*>(numbers_.data()), count_ * sizeof(numbers_[0])};
  }

 private:
  std::array<std::int64_t, 96> numbers_;
  std::size_t count_ = 0;
};

/// The choice for an output (the first), or those for the gradients of x and w.
using Choices = std::array<std::optional<Choice>, 2>;

struct Known {
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::shared_mutex mutex;
  std::unordered_map<std::string, Choices, Hash, std::equal_to<>> choices;
};
Known& TheKnown() {
  static Known* const known = new Known;  // calls may outlive static objects
  return *known;
}
std::optional<Choices> Find(const Key& key) {
  Known& known = TheKnown();
  const std::shared_lock lock(known.mutex);
  const auto found = known.choices.find(key.bytes());
  if (found == known.choices.end()) return std::nullopt;
  return found->second;
}

/// What Python decides in a call of this thread.
thread_local Choices* learned = nullptr;

/// Calls an op of Python with the arguments, which become its results. What it decides is kept for
/// calls with aligned tensors, and so only if these are.
void Learn(const Key& key, const char* op, Value* stack, std::span<const bool> needed,
           bool is_aligned) {
  Choices choices;
  Choices* const outer = std::exchange(learned, &choices);
  const std::int32_t error = TheTorch().call(op, "", stack, kVersion);
  learned = outer;
  Check(error, "compute a convolution");
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i] && !choices[i]) return;
  }
  if (key.bytes().empty() || !is_aligned) return;
  Known& known = TheKnown();
  const std::unique_lock lock(known.mutex);
  known.choices[std::string(key.bytes())] = choices;
}

// ---- On a device

Tensor Copied(TensorObject* tensor, const std::int64_t* strides) {
  const Sizes of = ReadSizes(tensor);
  Tensor copy = Empty(of.dim, of.sizes, strides, of.dtype, of);
  Check(TheTorch().copy(copy.get(), tensor, 0), "copy a tensor");
  return copy;
}

/// The sum of a tensor and a bias of its channels.
Tensor WithBias(TensorObject* tensor, TensorObject* bias) {
  const Torch& torch = TheTorch();
  std::array<std::int64_t, 5> sizes = {ReadSizes(bias).sizes[0], 1, 1, 1, 1};
  constexpr std::array<std::int64_t, 5> kStrides = {1, 1, 1, 1, 1};
  std::int64_t offset = 0;
  TensorObject *view = nullptr, *sum = nullptr;
  Check(
      torch.storage_offset(bias, &offset) ||
          torch.view(bias, ReadSizes(tensor).dim - 1, sizes.data(), kStrides.data(), offset, &view),
      "view a bias");
  const Tensor owned(view);
  Check(torch.cuda_add(tensor, view, 1.0, &sum), "add a bias");
  return Tensor(sum);
}

/// Launches a plan and returns its result.
Tensor Launch(const Choice& choice, TensorObject* first, TensorObject* second, TensorObject* bias) {
  const Torch& torch = TheTorch();
  TensorObject* a = choice.swaps ? second : first;
  TensorObject* b = choice.swaps ? first : second;
  Tensor copies[2];
  if (choice.copies & GRIDWISE_TORCH_COPIES_A) a = (copies[0] = Copied(a, choice.a_strides)).get();
  if (choice.copies & GRIDWISE_TORCH_COPIES_B) b = (copies[1] = Copied(b, choice.b_strides)).get();
  const Sizes of = ReadSizes(a);
  Tensor out = Empty(choice.dim, choice.out_sizes, choice.out_strides, of.dtype, of);
  Tensor workspace;  // memory that the allocator uses again in the stream's order
  if (choice.workspace_bytes > 0) {
    constexpr std::int64_t kStride = 1;
    workspace = Empty(1, &choice.workspace_bytes, &kStride, torch.u8, of);
  }
  void* stream = nullptr;
  Check(torch.cuda_stream(of.device_index, &stream), "say which stream is current");
  gridwise_tensors tensors = {};
  tensors.size = sizeof(tensors);
  tensors.a = DataOf(a);
  tensors.b = DataOf(b);
  tensors.out = DataOf(out.get());
  tensors.d0 = choice.bias == GRIDWISE_TORCH_BIAS_FUSED ? DataOf(bias) : nullptr;
  const gridwise_status status =
      launch_function(choice.executable, &tensors, workspace ? DataOf(workspace.get()) : nullptr,
                      choice.workspace_bytes, stream);
  if (status != GRIDWISE_OK) throw std::runtime_error("gridwise: a kernel could not be launched");
  if (choice.bias == GRIDWISE_TORCH_BIAS_ADDED) return WithBias(out.get(), bias);
  if (choice.copies & GRIDWISE_TORCH_COPIES_OUT) return Copied(out.get(), choice.result_strides);
  return out;
}

/// The sum over an axis in f32.
Tensor SumOver(TensorObject* tensor, std::int64_t axis) {
  std::array<Value, 4> stack = {AsValue(tensor), AsValue(new Value(NewList({{Value(axis)}}))), 0,
                                AsValue(new Value(Value(TheTorch().f32)))};
  Check(TheTorch().call("aten::sum", "dim_IntList", stack.data(), kVersion), "add up a tensor");
  return Tensor(AsTensor(stack[0]));
}

/// The gradient of a bias: the sum over images and pixels, first of some pixels, then of those
/// sums, as in gridwise/torch/ops.py. Null where aten is to compute it.
Tensor BiasGradient(TensorObject* dy) {
  constexpr std::int64_t kRows = 256;  // that are added first, at most
  const Torch& torch = TheTorch();
  const Sizes of = ReadSizes(dy);
  if (of.device_type != torch.cuda || (of.dtype != torch.f16 && of.dtype != torch.bf16)) return {};
  const std::int64_t channels = of.sizes[1];
  std::int64_t pixels = 1;
  for (std::int64_t axis = of.dim - 1; axis >= 0; --axis) {
    if (axis == 1) continue;
    if (of.sizes[axis] != 1 && of.strides[axis] != pixels * channels) return {};
    pixels *= of.sizes[axis];
  }
  std::int64_t rows = kRows;
  while (rows > 1 && pixels % rows != 0) --rows;
  if (channels == 1 || of.strides[1] != 1 || pixels <= kRows || rows < kRows / 8) return {};
  const std::array<std::int64_t, 3> sizes = {pixels / rows, rows, channels};
  const std::array<std::int64_t, 3> strides = {rows * channels, channels, 1};
  std::int64_t offset = 0;
  TensorObject* view = nullptr;
  Check(torch.storage_offset(dy, &offset) ||
            torch.view(dy, 3, sizes.data(), strides.data(), offset, &view),
        "view a gradient");
  const Tensor sums = SumOver(SumOver(view, 1).release(), 0);
  constexpr std::int64_t kStride = 1;
  Tensor gradient = Empty(1, &channels, &kStride, of.dtype, of);
  Check(torch.copy(gradient.get(), sums.get(), 0), "round a gradient");
  return gradient;
}

void Count(const Choice& choice) { __atomic_fetch_add(choice.calls, 1, __ATOMIC_RELAXED); }

/// An optional tensor; null if there is none.
TensorObject* Optional(Value value) {
  return value == 0 ? nullptr : AsTensor(*reinterpret_cast<const Value*>(value));
}

void DeleteLists(const Value* parameters) {
  for (int i : {0, 1, 2, 4}) TheTorch().delete_list(AsList(parameters[i]));
}

/// The tensors of an output.
struct Operands {
  explicit Operands(const Value* stack)
      : x(AsTensor(stack[0])), w(AsTensor(stack[1])), bias(Optional(stack[2])) {}

  void AddTo(Key& key) const {
    key.AddTensor(x);
    key.AddTensor(w);
    key.Add(bias != nullptr);
    if (bias != nullptr) key.AddTensor(bias);
  }
  bool AreAligned() const {
    return IsAligned(x) && IsAligned(w) && (bias == nullptr || IsAligned(bias));
  }

  TensorObject *x, *w, *bias;
};

/// Launches a plan and puts its result in the place of the tensors.
void LaunchForward(const Choice& choice, const Operands& operands, Value* stack) {
  Tensor y = Launch(choice, operands.x, operands.w, operands.bias);
  const Tensor owned[] = {Tensor(operands.x), Tensor(operands.w), Tensor(operands.bias)};
  if (operands.bias != nullptr) delete reinterpret_cast<Value*>(stack[2]);
  stack[0] = AsValue(y.release());
}

/// aten::convolution_overrideable: x, w, bias, stride, padding, dilation, transposed,
/// output_padding, groups.
void Forward(Value* stack, std::uint64_t, std::uint64_t) {
  const Operands operands(stack);
  Key key;
  operands.AddTo(key);
  key.AddParameters(stack + 3);
  const OnDevice on_device(ReadSizes(operands.x));
  const std::optional<Choices> known = Find(key);
  const bool is_aligned = operands.AreAligned();
  if (!known || !is_aligned) {
    return Learn(key, "gridwise::convolution", stack, {{true}}, is_aligned);
  }
  const Choice& choice = *(*known)[0];
  Count(choice);
  if (choice.executable == nullptr) {
    return Check(TheTorch().call("aten::convolution", "", stack, kVersion),
                 "compute a convolution");
  }
  DeleteLists(stack + 3);
  LaunchForward(choice, operands, stack);
}

/// gridwise::infer.
void Infer(Value* stack, std::uint64_t, std::uint64_t) {
  const Operands operands(stack);
  const auto& parameters = *reinterpret_cast<const gridwise_torch_parameters*>(stack[3]);
  Key key;
  operands.AddTo(key);
  key.AddParameters(parameters);
  const OnDevice on_device(ReadSizes(operands.x));
  const std::optional<Choices> known = Find(key);
  if (known && (*known)[0]->executable != nullptr && operands.AreAligned()) {
    Count(*(*known)[0]);
    return LaunchForward(*(*known)[0], operands, stack);
  }
  const auto list = [&](const std::int64_t* numbers) {
    return NewList({reinterpret_cast<const Value*>(numbers), std::size_t(parameters.rank)});
  };
  std::array<Value, 9> arguments = {stack[0],
                                    stack[1],
                                    stack[2],
                                    list(parameters.stride),
                                    list(parameters.padding),
                                    list(parameters.dilation),
                                    Value(parameters.transposed),
                                    list(parameters.output_padding),
                                    Value(parameters.groups)};
  Forward(arguments.data(), arguments.size(), 1);
  stack[0] = arguments[0];
}

/// What aten computes of a backward pass. Its arguments become its results.
void CallAten(Value* stack, const std::array<bool, 3>& mask) {
  Value sizes = 0;
  if (mask[2]) {
    const auto channels = static_cast<Value>(ReadSizes(AsTensor(stack[0])).sizes[1]);
    sizes = AsValue(new Value(NewList({{channels}})));
  }
  std::array<Value, 11> arguments = {stack[0], stack[1], stack[2], sizes,    stack[3], stack[4],
                                     stack[5], stack[6], stack[7], stack[8], 0};
  arguments[10] = NewList({{Value{mask[0]}, Value{mask[1]}, Value{mask[2]}}});
  Check(TheTorch().call("aten::convolution_backward", "", arguments.data(), kVersion),
        "compute the gradients of a convolution");
  for (std::size_t i = 0; i < 3; ++i) stack[i] = arguments[i];
}

/// What is wanted of a backward pass, a list of three bools.
std::array<bool, 3> ReadMask(ListObject* list) {
  std::array<bool, 3> mask;
  for (std::size_t i = 0; i < 3; ++i) {
    Value item = 0;
    Check(TheTorch().list_item(list, i, &item), "read a list");
    mask[i] = (item & 1) != 0;
  }
  return mask;
}

/// aten::convolution_backward_overrideable: dy, x, w, stride, padding, dilation, transposed,
/// output_padding, groups, mask of the gradients of x, w and the bias.
void Backward(Value* stack, std::uint64_t, std::uint64_t) {
  TensorObject* const dy = AsTensor(stack[0]);
  // The other operands of dx and of dw.
  TensorObject* const others[2] = {AsTensor(stack[2]), AsTensor(stack[1])};
  const std::array<bool, 3> mask = ReadMask(AsList(stack[9]));
  Key key;
  for (int i : {0, 1, 2}) key.AddTensor(AsTensor(stack[i]));
  key.AddParameters(stack + 3);
  for (const bool is_wanted : mask) key.Add(is_wanted);
  const OnDevice on_device(ReadSizes(dy));
  const std::optional<Choices> known = Find(key);
  const bool is_aligned = IsAligned(dy) && IsAligned(others[0]) && IsAligned(others[1]);
  if (!known || !is_aligned) {
    return Learn(key, "gridwise::convolution_backward", stack, std::span(mask).first(2),
                 is_aligned);
  }
  Tensor results[3];
  std::array<bool, 3> of_aten = {false, false, false};
  if (mask[2]) of_aten[2] = (results[2] = BiasGradient(dy)) == nullptr;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!mask[i]) continue;
    const Choice& choice = *(*known)[i];
    Count(choice);
    if (choice.executable == nullptr) {
      of_aten[i] = true;
    } else {
      results[i] = Launch(choice, dy, others[i], nullptr);
    }
  }
  TheTorch().delete_list(AsList(stack[9]));
  if (of_aten[0] || of_aten[1] || of_aten[2]) {
    CallAten(stack, of_aten);
  } else {
    DeleteLists(stack + 3);
    for (std::size_t i = 0; i < 3; ++i) {
      TheTorch().delete_tensor(AsTensor(stack[i]));
      TensorObject* undefined = nullptr;
      if (results[i] == nullptr) Check(TheTorch().new_undefined(&undefined), "make a tensor");
      stack[i] = AsValue(undefined);
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (results[i] == nullptr) continue;
    if (stack[i] != 0) TheTorch().delete_tensor(AsTensor(stack[i]));
    stack[i] = AsValue(results[i].release());
  }
}

}  // namespace
}  // namespace gridwise::torch_eager

using namespace gridwise::torch_eager;

const char* gridwise_torch_register(const char* library, gridwise_torch_launch launch) {
  if (const char* const error = Open(library)) return error;
  launch_function = launch;
  const auto implement = [](const char* space, const char* key,
                            std::initializer_list<std::pair<const char*, Kernel>> ops) {
    LibraryObject* object = nullptr;  // kept, and with it the kernels
    if (TheTorch().init_library(space, key, __FILE__, __LINE__, &object) != 0) return false;
    return std::ranges::all_of(ops, [&](const auto& op) {
      return TheTorch().implement(object, op.first, op.second, kVersion) == 0;
    });
  };
  for (const char* const key : {"CPU", "CUDA"}) {
    if (!implement("aten", key,
                   {{"convolution_overrideable", Forward},
                    {"convolution_backward_overrideable", Backward}}) ||
        !implement("gridwise", key, {{"infer", Infer}}))
      return "this PyTorch does not let the ops be registered";
  }
  return nullptr;
}

void gridwise_torch_remember(int32_t slot, const gridwise_torch_choice* choice) {
  if (learned != nullptr && (slot == 0 || slot == 1))
    (*learned)[static_cast<std::size_t>(slot)] = *choice;
}

void gridwise_torch_forget(void) {
  Known& known = TheKnown();
  const std::unique_lock lock(known.mutex);
  known.choices.clear();
}
