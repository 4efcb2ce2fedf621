// SPDX-License-Identifier: MIT
#pragma once

#include "tools/gridwise/import/line.h"

namespace gridwise {

/// Reads cuDNN's log of calls (CUDNN_LOGLEVEL_DBG=3, or CUDNN_LOGINFO_DBG=1 before version 9),
/// which every program that uses cuDNN can write:
///
///   I! CuDNN (v91900 56) function cudnnBackendExecute() called:
///   i!     executionPlan: type=CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
///   ...
///   i!                     operation: type=CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
///   i!                         xDesc: type=CUDNN_BACKEND_TENSOR_DESCRIPTOR:
///   i!                             type: type=cudnnDataType_t; val=CUDNN_DATA_HALF (2);
///   i!                             dimA: type=int; val=[4,64,28,28];
///   ...
///   i! Time: ...
///
/// Executions count: the operations of the plans of cudnnBackendExecute, and before version 8
/// cudnnConvolutionForward, ...BackwardData, ...BackwardFilter and ...BiasActivationForward. An
/// operation that is finalized, and what finds or gets an algorithm, is a search. Other
/// operations are skipped when they are finalized. What is read of an operation is returned at the
/// line that ends it.
LineReader CudnnLogReader();

/// Reads the descriptors that cuDNN's front end prints before version 1, and that PyTorch and XLA
/// still use for convolutions (CUDNN_FRONTEND_LOG_INFO=1, CUDNN_FRONTEND_LOG_FILE):
///
///   [cudnn_frontend]                CUDNN_BACKEND_TENSOR_DESCRIPTOR :
///                                      Datatype: ["HALF"]
///                                      Id: 120
///                                      Dim [ 4,64,28,28 ]
///                                      Str [ 50176,1,1792,64 ]
///   ...
///   [cudnn_frontend] CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR : ... Mode: ["CROSS_CORRELATION"] ...
///   [cudnn_frontend] CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR has 1 operations.
///   Tag: ConvFwd_
///
/// The text does not say which tensor is which; their numbers do, which are 'x', 'w' and 'y' in
/// both programs. A convolution counts for each graph that is built: a program does that once for
/// each shape. Graphs of version 1 are left to ForEachDnnGraph.
LineReader CudnnFrontendReader();

}  // namespace gridwise
