// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "gridwise/c/gridwise.h"

// What gridwise.torch calls of the library (by ctypes). It implements, for PyTorch's dispatcher,
//
//   aten::convolution_overrideable            aten::convolution_backward_overrideable
//   gridwise::infer(Tensor x, Tensor w, Tensor? bias, int parameters) -> Tensor
//
// PyTorch itself calls the first two only on devices of others, and their autograd formulas are
// C++. The third is the first without gradients: PyTorch takes as long to unpack lists of numbers
// from Python as for all the rest, so it gets the address of gridwise_torch_parameters. A call
// whose key (sizes, strides, type and parameters) is known runs without Python. Any other goes to
// the ops of Python, gridwise::convolution and gridwise::convolution_backward, which have the same
// arguments; they decide who computes, and say it by gridwise_torch_remember.

extern "C" {

enum { GRIDWISE_TORCH_COPIES_A = 1, GRIDWISE_TORCH_COPIES_B = 2, GRIDWISE_TORCH_COPIES_OUT = 4 };

/// Whether a bias is d0 of the kernel, or PyTorch adds it to what the kernel computes.
enum { GRIDWISE_TORCH_BIAS_NONE = 0, GRIDWISE_TORCH_BIAS_FUSED = 1, GRIDWISE_TORCH_BIAS_ADDED = 2 };

/// Who computes an output or a gradient, and how. Strides are elements.
struct gridwise_torch_choice {
  const gridwise_executable* executable;  ///< null: aten
  int64_t workspace_bytes;
  int32_t swaps;         ///< whether the second tensor is a, and the first is b
  int32_t bias;          ///< GRIDWISE_TORCH_BIAS_*
  int32_t copies;        ///< those that do not lie as the kernel wants, GRIDWISE_TORCH_COPIES_*
  int32_t dim;           ///< axes
  int64_t a_strides[5];  ///< as the kernel wants them; likewise
  int64_t b_strides[5];
  int64_t out_sizes[5];
  int64_t out_strides[5];
  int64_t result_strides[5];  ///< as PyTorch wants them
  int64_t* calls;             ///< incremented at each call
};

/// The arguments of a convolution after its tensors.
struct gridwise_torch_parameters {
  int64_t rank, stride[3], padding[3], dilation[3], transposed, output_padding[3], groups;
};

typedef gridwise_status (*gridwise_torch_launch)(const gridwise_executable*,
                                                 const gridwise_tensors*, void* workspace,
                                                 int64_t workspace_bytes, void* stream);

/// Registers the ops for tensors of CPUs and GPUs. `library` is the path of one of PyTorch's
/// that is loaded and needs all others, `launch` is gridwise_launch. Returns null, or a sentence
/// that says what PyTorch lacks; then nothing is registered. Call it once.
const char* gridwise_torch_register(const char* library, gridwise_torch_launch launch);

/// Remembers a choice for the call that this thread is in: `slot` 0 for its output or the gradient
/// of x, 1 for the gradient of w. `choice` is copied; what it points to must live until
/// gridwise_torch_forget. Does nothing outside of a call.
void gridwise_torch_remember(int32_t slot, const gridwise_torch_choice* choice);

/// Forgets all. No call may be running.
void gridwise_torch_forget(void);
}
