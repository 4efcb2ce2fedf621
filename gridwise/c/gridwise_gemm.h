// SPDX-License-Identifier: MIT
#ifndef GRIDWISE_GEMM_H_
#define GRIDWISE_GEMM_H_

#include "gridwise.h"

/// Gridwise's C API of batched matrix multiplications, on AMD targets. The rules of gridwise.h for
/// errors, ownership, threads and structs with a size hold here as well. A plan of a multiplication
/// is a gridwise_plan: gridwise_load and gridwise_launch take it, with A, B and C as a, b and out.
///
///   gridwise_gemm_problem problem;
///   gridwise_gemm_problem_init(&problem);
///   problem.m = 128; problem.n = 256; problem.k = 64;
///   gridwise_plan* plan = NULL;
///   if (gridwise_make_gemm_plan(&problem, NULL, NULL, &plan) != GRIDWISE_OK) ...

#ifdef __cplusplus
extern "C" {
#endif

/// Elements from one matrix, row or column to the next. None is negative. 0 repeats an operand or a
/// tensor of the epilogue along that axis.
typedef struct gridwise_matrix_strides {
  int64_t batch, row, column;
} gridwise_matrix_strides;

/// A tensor of C's shape. The epilogue multiplies it by `scale`, and adds it to the result or
/// multiplies the result with it. A bias of the columns has strides 0, 0 and 1.
typedef struct gridwise_gemm_tensor {
  int32_t op, type;  // GRIDWISE_ADD or _MULTIPLY; the output's type or GRIDWISE_F32
  double scale;
  gridwise_matrix_strides stride;
} gridwise_gemm_tensor;

/// A batched matrix multiplication. A is m x k, B is k x n, and C is m x n:
///   C[b][i][j] = clamp(unary(d1 op (d0 op (alpha * sum over t < k of A[b][i][t] * B[b][t][j]))),
///                      low, high)
typedef struct gridwise_gemm_problem {
  size_t size;  // bytes of this struct, as _init sets it
  int32_t type;
  int32_t out_type;  // -1: that of the operands; for 8-bit operands, that of their sums
  int64_t batch, m, n, k;
  gridwise_matrix_strides a, b, c;  // all 0: packed rows of packed matrices
  double alpha, low, high;
  int32_t tensors;  // number of tensors in d
  int32_t unary;    // GRIDWISE_NONE, ...
  gridwise_gemm_tensor d[2];
  double unary_parameter;
} gridwise_gemm_problem;

/// The same as _init, for a struct of `size` bytes.
GRIDWISE_API void gridwise_gemm_problem_defaults(gridwise_gemm_problem* problem, size_t size);
/// Sets `problem` to the product of two numbers in f16, without an epilogue.
static inline void gridwise_gemm_problem_init(gridwise_gemm_problem* problem) {
  gridwise_gemm_problem_defaults(problem, sizeof(*problem));
}

/// Writes how many elements A, B and C have from their first to their last, gaps included, and C's
/// type.
///
/// Statuses: GRIDWISE_INVALID_ARGUMENT if the problem is invalid.
GRIDWISE_API gridwise_status gridwise_gemm_problem_elements(const gridwise_gemm_problem* problem,
                                                            int64_t* a, int64_t* b, int64_t* out,
                                                            int32_t* out_type);

/// Makes the plan that is predicted to be fastest. `target` and `options` are those of
/// gridwise_make_plan; multiplications are always ranked by estimates. The caller frees the plan
/// with gridwise_free_plan. It has no line of text, so caches do not take it.
///
/// Statuses:
///   GRIDWISE_INVALID_ARGUMENT    the problem or an option is invalid, or the instance or family is
///                                unknown
///   GRIDWISE_UNIMPLEMENTED       no instance accepts the problem; the message has all reasons
///   GRIDWISE_RESOURCE_EXHAUSTED  every instance needs more workspace than the options allow
GRIDWISE_API gridwise_status gridwise_make_gemm_plan(const gridwise_gemm_problem* problem,
                                                     const char* target,
                                                     const gridwise_plan_options* options,
                                                     gridwise_plan** plan);

/// Explains every instance of the problem's type, as gridwise_explain does for convolutions. The
/// caller frees the list with gridwise_free_explanations.
///
/// Statuses: GRIDWISE_INVALID_ARGUMENT, as above.
GRIDWISE_API gridwise_status gridwise_explain_gemm(const gridwise_gemm_problem* problem,
                                                   const char* target,
                                                   const gridwise_plan_options* options,
                                                   gridwise_explanations** explanations);

#ifdef __cplusplus
}
#endif

#endif  // GRIDWISE_GEMM_H_
