// SPDX-License-Identifier: MIT
#ifndef GRIDWISE_H_
#define GRIDWISE_H_

#include <stddef.h>
#include <stdint.h>

/// Gridwise's public API in C. Link //gridwise/c, or load the shared library libgridwise.so from
/// any language. Its soname is libgridwise.so.0. The number changes if programs must be compiled
/// again. Both contain the library, its kernels, and the HIP library that //tools/config:hip
/// names: the simulator, unless Gridwise is built for a real GPU.
///
///   gridwise_conv_problem problem;
///   gridwise_conv_problem_init(&problem);
///   problem.c = problem.k = 64; ...
///   gridwise_plan* plan = NULL;
///   if (gridwise_make_plan(&problem, NULL, NULL, &plan) != GRIDWISE_OK) puts(gridwise_message());
///   gridwise_executable* conv = NULL;
///   gridwise_load(plan, &conv);
///   gridwise_launch(conv, &tensors, workspace, gridwise_plan_workspace_bytes(plan), stream);
///
/// gridwise_gemm.h is the API of matrix multiplications, and gridwise_views.h that of
/// multiplications of views.
///
/// Errors: every function that can fail returns a status. gridwise_message() then returns a
/// sentence. No function throws. Comments say which statuses a function returns. In addition:
///   - Any function may return GRIDWISE_INVALID_ARGUMENT if a required pointer is null or a struct
///     has an unknown size.
///   - Any function may return GRIDWISE_RESOURCE_EXHAUSTED if there is no memory on the host. Where
///     Abseil formats text, the program ends instead.
///   - Functions that use a device, also as a null target, may return an error of the HIP library:
///     GRIDWISE_UNAVAILABLE without a device or driver, GRIDWISE_RESOURCE_EXHAUSTED without memory
///     on the device, otherwise GRIDWISE_INTERNAL, _INVALID_ARGUMENT or _NOT_FOUND.
///
/// Ownership: a function writes its results through its last arguments, and only if it returns
/// GRIDWISE_OK. The caller frees the objects, each with the function that its comment names. The
/// functions that free objects accept NULL. Objects do not refer to each other: any may be freed
/// first.
///
/// Thread safety: any thread may call any function. Several threads may use one object at once,
/// unless it is being freed.

#ifdef __cplusplus
extern "C" {
#endif

#define GRIDWISE_API __attribute__((visibility("default")))

typedef enum gridwise_status {
  GRIDWISE_OK = 0,
  GRIDWISE_INVALID_ARGUMENT = 3,     // a problem, an option, a line of text or a pointer
  GRIDWISE_NOT_FOUND = 5,            // no device of the target, or no plan in the cache
  GRIDWISE_RESOURCE_EXHAUSTED = 8,   // memory of the host or the device, or the limit of workspace
  GRIDWISE_FAILED_PRECONDITION = 9,  // an object of another device or version
  GRIDWISE_UNIMPLEMENTED = 12,       // no kernel accepts the problem
  GRIDWISE_INTERNAL = 13,            // a kernel or the HIP library failed
  GRIDWISE_UNAVAILABLE = 14,         // no device or driver
  GRIDWISE_UNKNOWN = 2               // anything else, e.g. a file that cannot be written
} gridwise_status;

/// Returns why this thread's last failed call failed; "" if none has. The string is valid until the
/// thread's next call.
GRIDWISE_API const char* gridwise_message(void);
/// Returns the library's version, e.g. "0.2.0".
GRIDWISE_API const char* gridwise_version(void);

// Structs that begin with their size may grow: later versions of this header add fields at the end,
// and a library of a later version takes what an older program does not know as the default. A
// library refuses a struct that is larger than its own: the program is of a later version. The
// _init functions tell the library how large the program's struct is, so that it writes no further.

// ---- Problems

enum { GRIDWISE_FORWARD = 0, GRIDWISE_BACKWARD_DATA = 1, GRIDWISE_BACKWARD_WEIGHT = 2 };
enum {
  GRIDWISE_F16 = 0,
  GRIDWISE_BF16 = 1,
  GRIDWISE_F32 = 2,
  GRIDWISE_I8 = 3,
  GRIDWISE_F8E4M3FN = 4,
  GRIDWISE_F8E4M3FNUZ = 5,
  GRIDWISE_I32 = 6,
  GRIDWISE_F8E5M2 = 7,
  GRIDWISE_F8E5M2FNUZ = 8,
  GRIDWISE_TF32 = 9  ///< only for operands: f32, multiplied with at least 10 bits of mantissa
};
enum { GRIDWISE_NHWGC = 0, GRIDWISE_GNHWC = 1, GRIDWISE_NGCHW = 2 };
enum { GRIDWISE_GKYXC = 0, GRIDWISE_KYXGC = 1 };
enum { GRIDWISE_ADD = 0, GRIDWISE_MULTIPLY = 1 };
/// Functions of a value v and a parameter a. core/base/unary.h defines them.
enum {
  GRIDWISE_NONE = 0,
  GRIDWISE_ABS = 1,
  GRIDWISE_LEAKY_RELU = 2,
  GRIDWISE_ELU = 3,
  GRIDWISE_SIGMOID = 4,
  GRIDWISE_TANH = 5,
  GRIDWISE_SWISH = 6,
  GRIDWISE_SOFTPLUS = 7,
  GRIDWISE_GELU = 8
};

/// A spatial axis. Output pixel o and filter tap y read input pixel
/// i = o * stride + y * dilation - pad_begin.
typedef struct gridwise_dim {
  int64_t in, filter, stride, dilation, pad_begin, pad_end;
} gridwise_dim;

/// A tensor of the output's shape. The epilogue multiplies it by `scale`, and adds it to the result
/// or multiplies the result with it. `stride` is in elements, for the output's axes: n, d, h, w, g,
/// c of a group (for dw: g, k of a group, z, y, x, c of a group). A stride of 0 repeats the tensor
/// along that axis.
typedef struct gridwise_epilogue_tensor {
  int32_t op, type;  // GRIDWISE_ADD or _MULTIPLY; the output's type or GRIDWISE_F32
  double scale;
  int64_t stride[6];
} gridwise_epilogue_tensor;

/// A grouped convolution in one direction. The tensors are packed. Layouts or strides describe
/// them:
///   y[n][o][g][k] = sum over taps t, channels c of x[n][o*stride + t*dilation - pad][g][c] *
///   w[g][k][t][c]
/// and out = clamp(unary(d1 op (d0 op (alpha * conv))), low, high).
typedef struct gridwise_conv_problem {
  size_t size;  // bytes of this struct, as _init sets it
  int32_t direction, type;
  int32_t out_type;  // -1: that of the operands; for 8-bit operands, that of their sums
  int32_t rank;      // number of spatial axes: 1 (w), 2 (h, w), 3 (d, h, w)
  int64_t groups, batch;
  int64_t c, k;          // input and output channels of all groups together
  gridwise_dim dims[3];  // d, h, w; axes beyond the rank keep the values that _init sets
  int32_t layout, weight_layout;
  // Strides in elements, for the axes n, d, h, w, g, c of a group (for w: g, k of a group, z, y, x,
  // c of a group). They must match a layout. All 0: the layouts above describe the tensor.
  int64_t x_stride[6], w_stride[6], y_stride[6];
  double alpha, low, high;
  int32_t tensors;  // number of tensors in d
  gridwise_epilogue_tensor d[2];
  int32_t unary;  // GRIDWISE_NONE, ...
  // If not 0, forward uses scale_a * a + a1 instead of a, or scale_b * b + b1 instead of b. a1 and
  // b1 are tensors like a and b.
  int32_t adds_a1, adds_b1;
  double unary_parameter, scale_a, scale_b;
} gridwise_conv_problem;

/// The same as _init, for a struct of `size` bytes.
GRIDWISE_API void gridwise_conv_problem_defaults(gridwise_conv_problem* problem, size_t size);
/// Sets `problem` to a forward convolution in f16 with one channel, one pixel, one tap and no
/// epilogue.
static inline void gridwise_conv_problem_init(gridwise_conv_problem* problem) {
  gridwise_conv_problem_defaults(problem, sizeof(*problem));
}

/// Writes the number of elements of the operands and the output, and the output's type. a, b and
/// out are x, w, y of forward; dy, w, dx of backward-data; dy, x, dw of backward-weight.
///
/// Statuses: GRIDWISE_INVALID_ARGUMENT if the problem is invalid.
GRIDWISE_API gridwise_status gridwise_conv_problem_elements(const gridwise_conv_problem* problem,
                                                            int64_t* a, int64_t* b, int64_t* out,
                                                            int32_t* out_type);

// ---- Plans: how a problem is computed. Planning runs on the host and takes microseconds.

typedef struct gridwise_plan gridwise_plan;

/// Restricts plans. A null pointer stands for the defaults.
typedef struct gridwise_plan_options {
  size_t size;              // of this struct, as _init sets it
  const char* family;       // family of kernels: "tile", ...; null: any
  const char* instance;     // name of a kernel; null: any
  const char* op;           // op of the family: "wavelet", ...; null: any
  int32_t splits;           // workgroups that share the K of a tile; 0: the fastest number
  int32_t atomic;           // not 0: splits add their sums atomically, which is not deterministic
  int32_t estimates_alone;  // not 0: rank by estimates, also where the model is better
  int64_t workspace_limit;  // bytes of workspace; -1: what fits the device
} gridwise_plan_options;

/// The same as _init, for a struct of `size` bytes.
GRIDWISE_API void gridwise_plan_options_defaults(gridwise_plan_options* options, size_t size);
/// Sets the defaults: any kernel, the fastest number of splits, deterministic, no limit.
static inline void gridwise_plan_options_init(gridwise_plan_options* options) {
  gridwise_plan_options_defaults(options, sizeof(*options));
}

/// Makes the plan that is predicted to be fastest. `target` is e.g. "gfx942" or "MI300A", or null
/// for the calling thread's current device. The caller frees the plan with gridwise_free_plan.
///
/// Statuses:
///   GRIDWISE_INVALID_ARGUMENT    the problem or an option is invalid, or the target, instance or
///                                family is unknown
///   GRIDWISE_UNIMPLEMENTED       no instance accepts the problem, and the message has all reasons;
///                                or Gridwise has no kernels for the current device
///   GRIDWISE_RESOURCE_EXHAUSTED  every instance needs more workspace than the options allow; the
///                                message has the smallest need
GRIDWISE_API gridwise_status gridwise_make_plan(const gridwise_conv_problem* problem,
                                                const char* target,
                                                const gridwise_plan_options* options,
                                                gridwise_plan** plan);
/// Makes up to `capacity` plans, fastest predicted first, and writes their number to `count`: at
/// least one, and fewer than `capacity` if fewer instances accept the problem. Requires an array
/// `plans` of `capacity` elements. Writes none of them if there is an error. The caller frees each
/// plan with gridwise_free_plan.
///
/// Statuses: those of gridwise_make_plan, and GRIDWISE_INVALID_ARGUMENT if `capacity` < 1.
GRIDWISE_API gridwise_status gridwise_rank_plans(const gridwise_conv_problem* problem,
                                                 const char* target,
                                                 const gridwise_plan_options* options, int capacity,
                                                 gridwise_plan** plans, int* count);
/// Makes the plan of a line that gridwise_plan_line returned in this version of the library. The
/// caller frees the plan with gridwise_free_plan.
///
/// Statuses: GRIDWISE_INVALID_ARGUMENT if it is no such line or is damaged,
/// GRIDWISE_FAILED_PRECONDITION if it is of another version, and those of gridwise_make_plan.
GRIDWISE_API gridwise_status gridwise_parse_plan(const char* line, gridwise_plan** plan);
GRIDWISE_API void gridwise_free_plan(gridwise_plan* plan);

// Properties of a plan, which must not be null. Strings are valid as long as the plan. The line is
// null for plans of other problems than convolutions. The line and the description are null if
// there is no memory on the host.
GRIDWISE_API const char* gridwise_plan_family(const gridwise_plan* plan);
GRIDWISE_API const char* gridwise_plan_instance(const gridwise_plan* plan);  // the kernel's name
GRIDWISE_API const char* gridwise_plan_line(const gridwise_plan* plan);
GRIDWISE_API const char* gridwise_plan_description(const gridwise_plan* plan);  // several lines
GRIDWISE_API int64_t gridwise_plan_workspace_bytes(const gridwise_plan* plan);
GRIDWISE_API double gridwise_plan_estimated_ms(const gridwise_plan* plan);

/// The property of a problem that a kernel does not support.
typedef enum gridwise_refusal {
  GRIDWISE_REFUSED_OTHER = 0,  // see the reason
  GRIDWISE_REFUSED_TYPE = 1,
  GRIDWISE_REFUSED_DIRECTION = 2,
  GRIDWISE_REFUSED_LAYOUT = 3,    // positions of elements in memory
  GRIDWISE_REFUSED_CHANNELS = 4,  // number of channels of a group, or its divisors
  GRIDWISE_REFUSED_GROUPS = 5,
  GRIDWISE_REFUSED_FILTER = 6,  // its taps, strides, dilations or padding
  GRIDWISE_REFUSED_SIZE = 7     // too large, or too many launches
} gridwise_refusal;

/// Whether and how fast a kernel computes a problem. The strings are valid as long as the list.
typedef struct gridwise_explanation {
  size_t size;  // of this struct: sizeof(gridwise_explanation), set by the caller
  const char *family, *instance;
  const char* reason;   // why it does not compute the problem; null if it does
  int32_t refusal;      // a gridwise_refusal, if there is a reason
  double estimated_ms;  // if there is no reason
} gridwise_explanation;

typedef struct gridwise_explanations gridwise_explanations;

/// Explains every kernel of the direction and type. The list begins with the kernels that compute
/// the problem, in the order of gridwise_rank_plans. The caller frees the list with
/// gridwise_free_explanations.
///
/// Statuses: those of gridwise_make_plan. A problem that no instance computes is no error.
GRIDWISE_API gridwise_status gridwise_explain(const gridwise_conv_problem* problem,
                                              const char* target,
                                              const gridwise_plan_options* options,
                                              gridwise_explanations** explanations);
GRIDWISE_API int gridwise_explanation_count(const gridwise_explanations* explanations);
/// Fills in the explanation at `index`, from 0 to count - 1. Returns GRIDWISE_INVALID_ARGUMENT for
/// any other index.
GRIDWISE_API gridwise_status gridwise_explanation_at(const gridwise_explanations* explanations,
                                                     int index, gridwise_explanation* explanation);
GRIDWISE_API void gridwise_free_explanations(gridwise_explanations* explanations);

// ---- Plans on a device: the calling thread's current one

/// A plan whose kernels are loaded.
typedef struct gridwise_executable gridwise_executable;

/// Device addresses: a and b are the operands, d0 and d1 the tensors of the epilogue, a1 and b1 the
/// tensors added to the operands.
typedef struct gridwise_tensors {
  size_t size;  // of this struct: sizeof(gridwise_tensors), set by the caller
  const void *a, *b;
  void* out;
  const void *d0, *d1, *a1, *b1;
} gridwise_tensors;

/// Loads the plan's kernels on the current device. The executable does not need `plan` afterwards.
/// The caller frees it with gridwise_free_executable.
///
/// Statuses: GRIDWISE_FAILED_PRECONDITION if the device is not of the plan's target or the library
/// has no kernels for it.
GRIDWISE_API gridwise_status gridwise_load(const gridwise_plan* plan,
                                           gridwise_executable** executable);
/// Frees the executable. Requires that all work that it launched is done, and that no graph that
/// captured it is launched again.
GRIDWISE_API void gridwise_free_executable(gridwise_executable* executable);

/// Starts the computation on `stream` and returns. `stream` is a hipStream_t of the device of
/// gridwise_load; null is the default stream. The computation writes every element of `out`. The
/// function allocates nothing on the device, so a graph can capture the stream. `workspace` is
/// device memory of at least gridwise_plan_workspace_bytes, 256-byte aligned, that nothing else
/// uses until the work is done; null if no bytes are needed. `out` and the workspace must overlap
/// no other tensor.
///
/// Statuses: GRIDWISE_INVALID_ARGUMENT if a tensor that the plan uses is null or the workspace is
/// too small. Overlap and sizes of tensors are not checked.
GRIDWISE_API gridwise_status gridwise_launch(const gridwise_executable* executable,
                                             const gridwise_tensors* tensors, void* workspace,
                                             int64_t workspace_bytes, void* stream);

enum { GRIDWISE_DEVICE_CLOCK = 0, GRIDWISE_SIMULATED_CLOCK = 1, GRIDWISE_HOST_CLOCK = 2 };

/// Measures the first `capacity` plans on `tensors`, for at most about `time_limit_s` seconds, and
/// overwrites `out`. Writes the plans and their milliseconds, fastest first, and their number to
/// `count`. `clock` says what the times measure: a device, the simulator's model of a device
/// (GRIDWISE_SIM=time), or the simulation itself on the host. Requires arrays of `capacity`
/// elements. The caller frees each plan with gridwise_free_plan.
///
/// Statuses: those of gridwise_rank_plans, gridwise_load and gridwise_launch; if no plan could be
/// measured, the first one's.
GRIDWISE_API gridwise_status gridwise_tune(const gridwise_conv_problem* problem,
                                           const gridwise_plan_options* options,
                                           const gridwise_tensors* tensors, void* stream,
                                           double time_limit_s, int capacity, gridwise_plan** plans,
                                           double* milliseconds, int* count, int* clock);

// ---- Plans in a file, which any number of processes may read and extend

typedef struct gridwise_cache gridwise_cache;

/// Reads the file, which need not exist. The caller frees the cache with gridwise_close_cache.
///
/// Statuses: the system's error if the file exists and cannot be read, e.g. GRIDWISE_UNKNOWN
/// without the permission.
GRIDWISE_API gridwise_status gridwise_open_cache(const char* path, gridwise_cache** cache);
GRIDWISE_API void gridwise_close_cache(gridwise_cache* cache);
/// Finds the plan that was stored last. The caller frees it with gridwise_free_plan.
///
/// Statuses: GRIDWISE_NOT_FOUND if there is none, GRIDWISE_INVALID_ARGUMENT if the problem is
/// invalid.
GRIDWISE_API gridwise_status gridwise_cache_find(const gridwise_cache* cache,
                                                 const gridwise_conv_problem* problem,
                                                 const char* target, gridwise_plan** plan);
/// Stores the plan, as a new line of the file.
///
/// Statuses: GRIDWISE_INVALID_ARGUMENT if the plan is not of a convolution; the system's error if
/// the file cannot be written, e.g. GRIDWISE_RESOURCE_EXHAUSTED if the disk is full.
GRIDWISE_API gridwise_status gridwise_cache_store(gridwise_cache* cache, const gridwise_plan* plan);
/// Returns why the skipped line number `index` could not be used; null if there are no more.
GRIDWISE_API const char* gridwise_cache_skipped(const gridwise_cache* cache, int index);

// ---- Devices and their memory, for programs that do not use HIP themselves

/// Makes the first device of the target, processor or product ("gfx942", "MI300A") the calling
/// thread's current one.
///
/// Statuses: GRIDWISE_NOT_FOUND if no device is of the target.
GRIDWISE_API gridwise_status gridwise_use_device(const char* target);
/// Allocates device memory. The caller frees it with gridwise_free.
///
/// Statuses: GRIDWISE_INVALID_ARGUMENT if `bytes` < 0.
GRIDWISE_API gridwise_status gridwise_allocate(int64_t bytes, void** memory);
GRIDWISE_API void gridwise_free(void* memory);
// Copy, and wait for the copy. Statuses: GRIDWISE_INVALID_ARGUMENT if `bytes` < 0.
GRIDWISE_API gridwise_status gridwise_copy_to_device(void* memory, const void* source,
                                                     int64_t bytes);
GRIDWISE_API gridwise_status gridwise_copy_to_host(void* target, const void* memory, int64_t bytes);
/// Waits for all work of the current device. An error may be that of earlier work.
GRIDWISE_API gridwise_status gridwise_synchronize(void);

#ifdef __cplusplus
}
#endif

#endif  // GRIDWISE_H_
