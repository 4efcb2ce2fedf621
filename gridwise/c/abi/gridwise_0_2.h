#ifndef GRIDWISE_0_2_H_
#define GRIDWISE_0_2_H_

#include <stddef.h>
#include <stdint.h>

/// Gridwise's public API in C. Link //gridwise/c, or load the shared library
/// libgridwise.so from any language; both hold the library, its kernels, and the HIP library that
/// //tools/config:hip names (the simulator, unless Gridwise is built for a real one).
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
/// Every function that can fail returns a status; then gridwise_message() is a sentence. What a
/// function makes is written through its last arguments, only if it returns GRIDWISE_OK, and freed
/// by the caller; the functions that free take NULL. Functions may be called from any thread, and
/// on one object by several at once, unless it is being freed. Nothing is thrown.

#ifdef __cplusplus
extern "C" {
#endif

#define GRIDWISE_API __attribute__((visibility("default")))

typedef enum gridwise_status {
  GRIDWISE_OK = 0,
  GRIDWISE_INVALID_ARGUMENT = 3,     // a problem, an option, a line of text or a pointer
  GRIDWISE_NOT_FOUND = 5,            // a device of some target, or a plan in a cache
  GRIDWISE_RESOURCE_EXHAUSTED = 8,   // memory
  GRIDWISE_FAILED_PRECONDITION = 9,  // an object of another device or version
  GRIDWISE_UNIMPLEMENTED = 12,       // no kernel accepts the problem
  GRIDWISE_INTERNAL = 13,            // a kernel or the HIP library failed
  GRIDWISE_UNAVAILABLE = 14,         // no device or driver
  GRIDWISE_UNKNOWN = 2               // anything else, e.g. a file that cannot be written
} gridwise_status;

/// Why this thread's last function failed; "" if none has. Valid until its next call.
GRIDWISE_API const char* gridwise_message(void);
/// The library's version, e.g. "0.2.0".
GRIDWISE_API const char* gridwise_version(void);

// Structs that begin with their size may grow: later versions of this header add fields at the end,
// and a library of a later version takes what an older program does not know as the default. A
// library refuses a struct that is larger than its own: the program is of a later version.

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
  GRIDWISE_F8E5M2FNUZ = 8
};
enum { GRIDWISE_NHWGC = 0, GRIDWISE_GNHWC = 1, GRIDWISE_NGCHW = 2 };
enum { GRIDWISE_GKYXC = 0, GRIDWISE_KYXGC = 1 };
enum { GRIDWISE_ADD = 0, GRIDWISE_MULTIPLY = 1 };
/// Functions of a value v, with the parameter a; core/base/unary.h has them.
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

/// A spatial axis: input pixel i, output pixel o and filter tap y are tied by
/// i = o * stride + y * dilation - pad_begin.
typedef struct gridwise_dim {
  int64_t in, filter, stride, dilation, pad_begin, pad_end;
} gridwise_dim;

/// A tensor of the output's shape that is added to the result, or multiplied with it, times
/// `scale`. `stride` is in elements, by the output's axes n, d, h, w, g, c of a group (of dw: g, k
/// of a group, z, y, x, c of a group); 0 repeats it along an axis.
typedef struct gridwise_epilogue_tensor {
  int32_t op, type;  // GRIDWISE_ADD or _MULTIPLY; the output's type or GRIDWISE_F32
  double scale;
  int64_t stride[6];
} gridwise_epilogue_tensor;

/// A grouped convolution in one direction, of packed tensors, described by layouts or by strides:
///   y[n][o][g][k] = sum over taps t, channels c of x[n][o*stride + t*dilation - pad][g][c] *
///   w[g][k][t][c]
/// and out = clamp(unary(d1 op (d0 op (alpha * conv))), low, high).
typedef struct gridwise_conv_problem {
  size_t size;  // of this struct, as _init sets it
  int32_t direction, type;
  int32_t out_type;  // -1: the operands', of 8-bit ones that of their sums
  int32_t rank;      // spatial axes: 1 (w), 2 (h, w), 3 (d, h, w)
  int64_t groups, batch;
  int64_t c, k;          // input and output channels of all groups together
  gridwise_dim dims[3];  // d, h, w; those that the rank leaves out stay as _init sets them
  int32_t layout, weight_layout;
  // Or elements from one index to the next, by the axes n, d, h, w, g, c of a group (of w: g, k of
  // a group, z, y, x, c of a group), which must be those of a layout; all 0: by the layouts above.
  int64_t x_stride[6], w_stride[6], y_stride[6];
  double alpha, low, high;
  int32_t tensors;  // of d that are there
  gridwise_epilogue_tensor d[2];
  int32_t unary;  // GRIDWISE_NONE, ...
  // Not 0, of forward: the operand is scale_a * a + a1, and scale_b * b + b1, where a1 and b1 are
  // tensors like a and b.
  int32_t adds_a1, adds_b1;
  double unary_parameter, scale_a, scale_b;
} gridwise_conv_problem;

/// A forward convolution of f16 with one channel, one pixel and one tap, and no epilogue.
GRIDWISE_API void gridwise_conv_problem_init(gridwise_conv_problem* problem);

/// Elements of the operands and the output: forward x, w, y; backward-data dy, w, dx;
/// backward-weight dy, x, dw; and the output's type.
GRIDWISE_API gridwise_status gridwise_conv_problem_elements(const gridwise_conv_problem* problem,
                                                            int64_t* a, int64_t* b, int64_t* out,
                                                            int32_t* out_type);

// ---- Plans: how a problem is computed. Host work, microseconds.

typedef struct gridwise_plan gridwise_plan;

/// What a plan may be. A null pointer stands for the defaults.
typedef struct gridwise_plan_options {
  size_t size;              // of this struct, as _init sets it
  const char* family;       // of kernels: "tile", ...; null: any
  const char* instance;     // a kernel's name; null: any
  const char* op;           // of the family: "wavelet", ...; null: any
  int32_t splits;           // workgroups that share the sums of a tile; 0: as many as are fastest
  int32_t atomic;           // not 0: they add their sums as they come: not deterministic
  int32_t estimates_alone;  // not 0: rank by estimates, also where the model is better
  int64_t workspace_limit;  // bytes that a plan may need; -1: what fits the device
} gridwise_plan_options;

/// The defaults: any kernel, as many splits as are fastest, deterministic, no limit.
GRIDWISE_API void gridwise_plan_options_init(gridwise_plan_options* options);

/// The plan that is estimated to be fastest. `target` is a device's, e.g. "gfx942", or null for the
/// calling thread's current device.
GRIDWISE_API gridwise_status gridwise_make_plan(const gridwise_conv_problem* problem,
                                                const char* target,
                                                const gridwise_plan_options* options,
                                                gridwise_plan** plan);
/// The first `capacity` plans, the fastest by estimate first, and how many there are.
GRIDWISE_API gridwise_status gridwise_rank_plans(const gridwise_conv_problem* problem,
                                                 const char* target,
                                                 const gridwise_plan_options* options, int capacity,
                                                 gridwise_plan** plans, int* count);
/// The plan of a line that gridwise_plan_line gave, of this version of the library.
GRIDWISE_API gridwise_status gridwise_parse_plan(const char* line, gridwise_plan** plan);
GRIDWISE_API void gridwise_free_plan(gridwise_plan* plan);

// Strings are valid as long as the plan.
GRIDWISE_API const char* gridwise_plan_family(const gridwise_plan* plan);
GRIDWISE_API const char* gridwise_plan_instance(const gridwise_plan* plan);  // the kernel's name
GRIDWISE_API const char* gridwise_plan_line(const gridwise_plan* plan);
GRIDWISE_API const char* gridwise_plan_description(const gridwise_plan* plan);  // several lines
GRIDWISE_API int64_t gridwise_plan_workspace_bytes(const gridwise_plan* plan);
GRIDWISE_API double gridwise_plan_estimated_ms(const gridwise_plan* plan);

/// Why a kernel does not compute a problem.
typedef enum gridwise_refusal {
  GRIDWISE_REFUSED_OTHER = 0,  // the reason says it alone
  GRIDWISE_REFUSED_TYPE = 1,
  GRIDWISE_REFUSED_DIRECTION = 2,
  GRIDWISE_REFUSED_LAYOUT = 3,    // where elements lie in memory
  GRIDWISE_REFUSED_CHANNELS = 4,  // of a group: how many, or what divides them
  GRIDWISE_REFUSED_GROUPS = 5,
  GRIDWISE_REFUSED_FILTER = 6,  // its taps, strides, dilations or padding
  GRIDWISE_REFUSED_SIZE = 7     // too large, or too many launches
} gridwise_refusal;

/// What a kernel says to a problem. The strings are valid as long as the list.
typedef struct gridwise_explanation {
  size_t size;  // of this struct: sizeof(gridwise_explanation), set by the caller
  const char *family, *instance;
  const char* reason;   // why it does not compute the problem; null if it does
  int32_t refusal;      // a gridwise_refusal, where there is a reason
  double estimated_ms;  // where there is none
} gridwise_explanation;

typedef struct gridwise_explanations gridwise_explanations;

/// What every kernel for the direction and type says: those that compute the problem first, in the
/// order of gridwise_rank_plans.
GRIDWISE_API gridwise_status gridwise_explain(const gridwise_conv_problem* problem,
                                              const char* target,
                                              const gridwise_plan_options* options,
                                              gridwise_explanations** explanations);
GRIDWISE_API int gridwise_explanation_count(const gridwise_explanations* explanations);
/// Fills in the `index`-th, from 0 to the count less 1; GRIDWISE_INVALID_ARGUMENT for others.
GRIDWISE_API gridwise_status gridwise_explanation_at(const gridwise_explanations* explanations,
                                                     int index, gridwise_explanation* explanation);
GRIDWISE_API void gridwise_free_explanations(gridwise_explanations* explanations);

// ---- Plans on a device: the calling thread's current one

/// A plan whose kernels are loaded.
typedef struct gridwise_executable gridwise_executable;

/// Device addresses: a and b are the operands, d0 and d1 those of the epilogue, a1 and b1 those
/// that operands are sums with.
typedef struct gridwise_tensors {
  size_t size;  // of this struct: sizeof(gridwise_tensors), set by the caller
  const void *a, *b;
  void* out;
  const void *d0, *d1, *a1, *b1;
} gridwise_tensors;

GRIDWISE_API gridwise_status gridwise_load(const gridwise_plan* plan, gridwise_executable** conv);
/// Once the work that was launched is done.
GRIDWISE_API void gridwise_free_executable(gridwise_executable* conv);

/// Starts the convolution on `stream`, a hipStream_t of the device of gridwise_load (null: the
/// default stream), and returns. It writes every element of `out` and allocates nothing, so that a
/// stream can be captured. `workspace` is device memory that nothing else uses until then.
GRIDWISE_API gridwise_status gridwise_launch(const gridwise_executable* conv,
                                             const gridwise_tensors* tensors, void* workspace,
                                             int64_t workspace_bytes, void* stream);

enum { GRIDWISE_DEVICE_CLOCK = 0, GRIDWISE_SIMULATED_CLOCK = 1, GRIDWISE_HOST_CLOCK = 2 };

/// Measures the first `capacity` plans, on `tensors` whose `out` is overwritten, for about
/// `time_limit_s` seconds at most, and writes them and their milliseconds, the fastest first, how
/// many there are, and what the times are times of: a device, the simulator's model of one
/// (GRIDWISE_SIM=time), or simulating.
GRIDWISE_API gridwise_status gridwise_tune(const gridwise_conv_problem* problem,
                                           const gridwise_plan_options* options,
                                           const gridwise_tensors* tensors, void* stream,
                                           double time_limit_s, int capacity, gridwise_plan** plans,
                                           double* milliseconds, int* count, int* clock);

// ---- Plans in a file, which any number of processes may read and add to

typedef struct gridwise_cache gridwise_cache;

/// Reads the file; there need not be one.
GRIDWISE_API gridwise_status gridwise_open_cache(const char* path, gridwise_cache** cache);
GRIDWISE_API void gridwise_close_cache(gridwise_cache* cache);
/// The plan that was stored last; GRIDWISE_NOT_FOUND if there is none.
GRIDWISE_API gridwise_status gridwise_cache_find(const gridwise_cache* cache,
                                                 const gridwise_conv_problem* problem,
                                                 const char* target, gridwise_plan** plan);
/// Adds a line to the file.
GRIDWISE_API gridwise_status gridwise_cache_store(gridwise_cache* cache, const gridwise_plan* plan);
/// Why the `index`-th line that could not be used was skipped; null: there are no more.
GRIDWISE_API const char* gridwise_cache_skipped(const gridwise_cache* cache, int index);

// ---- Devices and their memory, for programs that have no HIP of their own

/// Makes the first device of the target the calling thread's current one.
GRIDWISE_API gridwise_status gridwise_use_device(const char* target);
GRIDWISE_API gridwise_status gridwise_allocate(int64_t bytes, void** memory);
GRIDWISE_API void gridwise_free(void* memory);
GRIDWISE_API gridwise_status gridwise_copy_to_device(void* memory, const void* source,
                                                     int64_t bytes);
GRIDWISE_API gridwise_status gridwise_copy_to_host(void* target, const void* memory, int64_t bytes);
/// Waits for all work of the current device.
GRIDWISE_API gridwise_status gridwise_synchronize(void);

#ifdef __cplusplus
}
#endif

#endif  // GRIDWISE_0_2_H_
