// SPDX-License-Identifier: MIT
#ifndef GRIDWISE_VIEWS_H_
#define GRIDWISE_VIEWS_H_

#include "gridwise.h"

/// Gridwise's C API of multiplications of views. A view presents a tensor in memory as a batch of
/// matrices, without a copy. The rules of gridwise.h for errors, ownership and threads hold here as
/// well, except that only one thread may compose a view at a time.
///
/// A view is composed from the tensor's memory upwards. A transform consumes axes and makes new
/// ones; gridwise_view_see names the three that remain. This is x of a forward convolution, as a
/// matrix of output pixels by (tap, channel):
///
///   gridwise_view* x = NULL;
///   int32_t n, h, c, padded, yo[2], no, yc, one;
///   gridwise_make_view(&x);
///   gridwise_view_memory(x, batch, n_stride, &n);
///   gridwise_view_memory(x, in, h_stride, &h);
///   gridwise_view_memory(x, channels, 1, &c);
///   gridwise_view_pad(x, h, pad, pad, &padded);
///   const gridwise_term terms[2] = {{taps, dilation}, {out, stride}};
///   gridwise_view_embed(x, padded, terms, 2, yo);
///   gridwise_view_merge(x, (int32_t[]){n, yo[1]}, 2, &no);
///   gridwise_view_merge(x, (int32_t[]){yo[0], c}, 2, &yc);
///   gridwise_view_memory(x, 1, 0, &one);
///   gridwise_view_see(x, one, no, yc);
///
/// Statuses: the functions that compose a view return GRIDWISE_INVALID_ARGUMENT if the transform
/// makes no sense: an axis that does not exist or was consumed before, or a number out of range.
/// The message names the rule and the number. The view then remains invalid: every later function
/// returns the same error, and all that the caller can do is to free it.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gridwise_view gridwise_view;

/// One of the axes that compose an index: index = sum of step * (this axis' index).
typedef struct gridwise_term {
  int64_t length, step;
} gridwise_term;

/// Makes a view without axes. The caller frees it with gridwise_free_view.
GRIDWISE_API gridwise_status gridwise_make_view(gridwise_view** view);
GRIDWISE_API void gridwise_free_view(gridwise_view* view);

/// Adds an axis of the tensor: `length` indices, `stride` elements apart. Length 1 and stride 0 are
/// an axis for a tensor that lacks it, e.g. the batch.
GRIDWISE_API gridwise_status gridwise_view_memory(gridwise_view* view, int64_t length,
                                                  int64_t stride, int32_t* axis);
/// Adds `begin` indices before the axis and `end` after it, at which elements are 0.
GRIDWISE_API gridwise_status gridwise_view_pad(gridwise_view* view, int32_t axis, int64_t begin,
                                               int64_t end, int32_t* padded);
/// Takes `length` indices of the axis from `begin` on, `step` apart; `step` may be negative.
GRIDWISE_API gridwise_status gridwise_view_slice(gridwise_view* view, int32_t axis, int64_t begin,
                                                 int64_t length, int64_t step, int32_t* sliced);
/// Replaces the axis by `count` axes, 1 to 6, whose indices together are an index of it: the sum of
/// step * index over the terms. All sums must be inside of the axis; pad it first if they would not
/// be. Writes `count` axes.
GRIDWISE_API gridwise_status gridwise_view_embed(gridwise_view* view, int32_t axis,
                                                 const gridwise_term* terms, int count,
                                                 int32_t* axes);
/// Makes one axis of `count` axes, 1 to 6. The last one varies fastest.
GRIDWISE_API gridwise_status gridwise_view_merge(gridwise_view* view, const int32_t* axes,
                                                 int count, int32_t* merged);
/// Splits the axis into `count` axes, 1 to 6, with these lengths. The last varies fastest. The
/// product of the lengths must be the axis' length; pad it first if it does not divide. Writes
/// `count` axes.
GRIDWISE_API gridwise_status gridwise_view_unmerge(gridwise_view* view, int32_t axis,
                                                   const int64_t* lengths, int count,
                                                   int32_t* axes);
/// Fixes the axis at `index` and hides it.
GRIDWISE_API gridwise_status gridwise_view_freeze(gridwise_view* view, int32_t axis, int64_t index);
/// Ends the composition. The view shows these three axes: matrices, rows and terms of A and B;
/// matrices, rows and columns of C. All other axes must have been consumed.
GRIDWISE_API gridwise_status gridwise_view_see(gridwise_view* view, int32_t matrices, int32_t rows,
                                               int32_t columns);

/// Plans C[b][m][n] = sum over k of A[b][m][k] * B[b][n][k], where the views show A as b x m x k, B
/// as b x n x k, and C as b x m x n. `type` is that of A and B, `out_type` that of C: GRIDWISE_F16,
/// ... `target` is e.g. "gfx942", or null for the calling thread's current device.
///
/// The plan is one launch of the kernel with the least estimated time, and needs no workspace. The
/// caller frees it with gridwise_free_plan; it does not need the views any more. It has no line of
/// text, so caches do not take it.
///
/// Statuses:
///   GRIDWISE_INVALID_ARGUMENT  a view is invalid or unfinished, their lengths do not match, or C
///                              cannot have `out_type`
///   GRIDWISE_UNIMPLEMENTED     no kernel accepts the views: more than one distance between
///                              matrices, more than 4 uneven digits of an axis, C with padding, a
///                              matrix of 2 GiB, more than 65535 matrices
GRIDWISE_API gridwise_status gridwise_plan_views(const gridwise_view* a, const gridwise_view* b,
                                                 const gridwise_view* c, int32_t type,
                                                 int32_t out_type, const char* target,
                                                 gridwise_plan** plan);

#ifdef __cplusplus
}
#endif

#endif  // GRIDWISE_VIEWS_H_
