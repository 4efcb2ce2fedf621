// SPDX-License-Identifier: MIT
/* A convolution by Gridwise's C API: planned, tuned, kept in a file, and found there again.
 *
 *   bazel run //gridwise/c:example -- gfx942 /tmp/plans.txt
 *
 * Any C11 compiler builds it: cc -Igridwise/c example.c -Lbazel-bin/gridwise/c -lgridwise */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "gridwise.h"

/* Prints why the last function failed, and ends the program. */
static void check(gridwise_status status, const char* what) {
  if (status == GRIDWISE_OK) return;
  fprintf(stderr, "%s: %s (status %d)\n", what, gridwise_message(), (int)status);
  exit(1);
}

enum { kBatch = 2, kIn = 9, kChannels = 20, kOutputs = 24, kTaps = 3, kStride = 2, kPad = 1 };
enum { kOut = (kIn + 2 * kPad - kTaps) / kStride + 1 };

static gridwise_conv_problem make_problem(void) {
  gridwise_conv_problem problem;
  gridwise_conv_problem_init(&problem);
  problem.direction = GRIDWISE_FORWARD;
  problem.type = GRIDWISE_F32;
  problem.batch = kBatch;
  problem.c = kChannels;
  problem.k = kOutputs;
  for (int axis = 1; axis < 3; ++axis) {
    const gridwise_dim dim = {kIn, kTaps, kStride, 1, kPad, kPad};
    problem.dims[axis] = dim;
  }
  problem.low = 0; /* ReLU */
  return problem;
}

/* The definition. x is [n][h][w][c], w is [k][y][x][c]. All numbers are small integers, so that any
 * order of summation gives the same. */
static float expected(const float* x, const float* w, int n, int h, int v, int k) {
  float sum = 0;
  for (int i = 0; i < kTaps; ++i) {
    for (int j = 0; j < kTaps; ++j) {
      const int row = h * kStride + i - kPad, column = v * kStride + j - kPad;
      if (row < 0 || row >= kIn || column < 0 || column >= kIn) continue;
      for (int c = 0; c < kChannels; ++c) {
        sum += x[((n * kIn + row) * kIn + column) * kChannels + c] *
               w[((k * kTaps + i) * kTaps + j) * kChannels + c];
      }
    }
  }
  return sum < 0 ? 0 : sum;
}

static float* numbers(int64_t count, int modulus) {
  float* data = malloc((size_t)count * sizeof(float));
  for (int64_t i = 0; i < count; ++i) data[i] = (float)(i * 7 % modulus - modulus / 2);
  return data;
}

/* A copy of `data` on the device. */
static void* upload(const float* data, int64_t count) {
  void* memory = NULL;
  check(gridwise_allocate(count * 4, &memory), "allocate");
  check(gridwise_copy_to_device(memory, data, count * 4), "copy");
  return memory;
}

/* The fastest of three plans, as measured, which is kept in the file. */
static gridwise_plan* tune(const gridwise_conv_problem* problem, const gridwise_tensors* tensors,
                           const char* path) {
  gridwise_plan* plans[3];
  double milliseconds[3];
  int count = 0, clock = 0;
  check(gridwise_tune(problem, NULL, tensors, NULL, 10, 3, plans, milliseconds, &count, &clock),
        "tune");
  for (int i = 0; i < count; ++i) {
    printf("%9.4f ms of clock %d: %s\n", milliseconds[i], clock, gridwise_plan_instance(plans[i]));
  }
  gridwise_cache* cache = NULL;
  check(gridwise_open_cache(path, &cache), "open the cache");
  check(gridwise_cache_store(cache, plans[0]), "store the plan");
  gridwise_close_cache(cache);
  for (int i = 0; i < count; ++i) gridwise_free_plan(plans[i]);

  gridwise_plan* found = NULL;
  check(gridwise_open_cache(path, &cache), "open the cache");
  check(gridwise_cache_find(cache, problem, NULL, &found), "find the plan");
  for (int i = 0; gridwise_cache_skipped(cache, i) != NULL; ++i) {
    printf("%s\n", gridwise_cache_skipped(cache, i));
  }
  gridwise_close_cache(cache);
  return found;
}

int main(int argc, char** argv) {
  const char* const target = argc > 1 ? argv[1] : getenv("GRIDWISE_TEST_TARGET");
  const char* const folder = getenv("TEST_TMPDIR");
  char path[4096];
  snprintf(path, sizeof(path), "%s/plans.txt", folder == NULL ? "/tmp" : folder);
  if (argc > 2) snprintf(path, sizeof(path), "%s", argv[2]);
  if (target != NULL) check(gridwise_use_device(target), "use the device");

  const gridwise_conv_problem problem = make_problem();
  int64_t a_count = 0, b_count = 0, out_count = 0;
  int32_t out_type = 0;
  check(gridwise_conv_problem_elements(&problem, &a_count, &b_count, &out_count, &out_type), "size");
  float* const x = numbers(a_count, 5);
  float* const w = numbers(b_count, 3);
  float* const y = malloc((size_t)out_count * sizeof(float));
  void *const a = upload(x, a_count), *const b = upload(w, b_count);
  void* out = NULL;
  check(gridwise_allocate(out_count * 4, &out), "allocate the output");
  const gridwise_tensors tensors = {.size = sizeof(tensors), .a = a, .b = b, .out = out};

  gridwise_plan* const plan = tune(&problem, &tensors, path);
  printf("%s\n%s", gridwise_plan_line(plan), gridwise_plan_description(plan));
  gridwise_executable* conv = NULL;
  check(gridwise_load(plan, &conv), "load");
  const int64_t workspace_bytes = gridwise_plan_workspace_bytes(plan);
  void* workspace = NULL;
  if (workspace_bytes > 0) check(gridwise_allocate(workspace_bytes, &workspace), "allocate");
  for (int64_t i = 0; i < out_count; ++i) y[i] = -1; /* in place of what tuning left there */
  check(gridwise_copy_to_device(out, y, out_count * 4), "clear");
  check(gridwise_launch(conv, &tensors, workspace, workspace_bytes, NULL), "launch");
  check(gridwise_synchronize(), "wait");
  check(gridwise_copy_to_host(y, out, out_count * 4), "copy");

  int64_t wrong = 0;
  for (int64_t i = 0; i < out_count; ++i) {
    const int k = (int)(i % kOutputs), v = (int)(i / kOutputs % kOut);
    const int h = (int)(i / kOutputs / kOut % kOut), n = (int)(i / kOutputs / kOut / kOut);
    if (y[i] != expected(x, w, n, h, v, k)) ++wrong;
  }
  printf("%lld of %lld elements are wrong\n", (long long)wrong, (long long)out_count);

  gridwise_free_executable(conv);
  gridwise_free_plan(plan);
  gridwise_free(workspace);
  gridwise_free(a);
  gridwise_free(b);
  gridwise_free(out);
  free(x);
  free(w);
  free(y);
  return wrong == 0 && out_count == kBatch * kOut * kOut * kOutputs ? 0 : 1;
}
