// SPDX-License-Identifier: MIT
/// An extension of HIP: launches with clusters of workgroups, which run together and reach each
/// other's shared memory, and launches that begin early. Only //tools/third_party/hip:cuda
/// implements it; elsewhere the function is a null pointer, since it is declared weak.
#pragma once

#include "hip/hip_runtime_api.h"

extern "C" {

/// hipModuleLaunchKernel of clusters of `cluster` neighbours along x, which divides grid_x.
/// `begins_early`, if not 0: while the kernel before it in the stream still runs, for which it has
/// to wait itself (griddepcontrol.wait).
__attribute__((weak)) hipError_t hipGridwiseModuleLaunch(
    hipFunction_t kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned shared_bytes, hipStream_t stream,
    void** parameters, void** extra, unsigned cluster, int begins_early);

}  // extern "C"
