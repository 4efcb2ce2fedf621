#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# cuDNN: in its log, "upper" padding is that at the end of an axis.
#
# Guess    upperPadA, which is printed first, is the padding before the first row and column, and lowerPadA that after the last ones: an image's upper edge
#          is where its rows begin.
# Really   upperPadA is CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, and lowerPadA CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS. Who reads the two lists in their order
#          swaps them, which only unequal padding shows.
# Version  cuDNN 9.19.0 (nvidia-cudnn-cu13 9.19.0.56); needs no GPU
# Seen     paddings 1, 0 before and 2, 3 after: "upperPadA: type=int; val=[2,3];", "lowerPadA: type=int; val=[1,0];"
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/python.sh"
packages nvidia-cudnn-cu13==9.19.0.56

cat >"$work/finding.py" <<'PY'
import ctypes
import importlib.metadata

# Numbers of cudnn_graph.h.
DESCRIPTOR, COMPUTE_TYPE, MODE, DILATIONS, STRIDES, POST, PRE, AXES = 1, 100, 101, 102, 103, 104, 105, 106
DATA_TYPE, INT64, CONVOLUTION_MODE = 1, 3, 7
FLOAT, CROSS_CORRELATION = 0, 1

path = next(file for file in importlib.metadata.files("nvidia-cudnn-cu13") if file.name == "libcudnn.so.9").locate()
cudnn = ctypes.CDLL(str(path))
convolution = ctypes.c_void_p()


def check(status):
    if status != 0:
        raise SystemExit(f"cuDNN returns {status}")


def put(attribute, kind, values):
    array = ((ctypes.c_int64 if kind == INT64 else ctypes.c_int) * len(values))(*values)
    check(cudnn.cudnnBackendSetAttribute(convolution, attribute, kind, ctypes.c_int64(len(values)), array))


check(cudnn.cudnnBackendCreateDescriptor(DESCRIPTOR, ctypes.byref(convolution)))
put(COMPUTE_TYPE, DATA_TYPE, [FLOAT])
put(MODE, CONVOLUTION_MODE, [CROSS_CORRELATION])
put(AXES, INT64, [2])
put(DILATIONS, INT64, [1, 1])
put(STRIDES, INT64, [1, 1])
put(PRE, INT64, [1, 0])
put(POST, INT64, [2, 3])
check(cudnn.cudnnBackendFinalize(convolution))
PY
CUDNN_LOGLEVEL_DBG=3 CUDNN_LOGDEST_DBG=$work/log "$python" "$work/finding.py"
finalized=$(sed -n '/cudnnBackendFinalize() called/,/Time:/p' "$work/log")
for name in upper lower; do
  declare "$name=$(sed -n "s/.*${name}PadA: type=int; val=\(.*\);/\1/p" <<<"$finalized")"
done
expect "the order of the log" "upperPadA lowerPadA" "$(grep -o '[a-z]*PadA' <<<"$finalized" | paste -sd ' ')"
# shellcheck disable=SC2154  # declared above
expect "upperPadA, of 2, 3 after and 1, 0 before" "[2,3]" "$upper"
# shellcheck disable=SC2154
expect "lowerPadA" "[1,0]" "$lower"
