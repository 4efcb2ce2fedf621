#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The library exports what hipDNN 1.0.0 requires of engine plugins, and nothing else but two optional functions. It needs no
# library that a system with ROCm lacks.
set -euo pipefail

library=$1
diff <(sed 's/ *#.*//' <<'NAMES' | LC_ALL=C sort
hipdnnEnginePluginCreate
hipdnnEnginePluginCreateExecutionContext
hipdnnEnginePluginDestroy
hipdnnEnginePluginDestroyEngineDetails
hipdnnEnginePluginDestroyExecutionContext
hipdnnEnginePluginExecuteOpGraph
hipdnnEnginePluginGetAllEngineIds
hipdnnEnginePluginGetApplicableEngineIds
hipdnnEnginePluginGetEngineDetails
hipdnnEnginePluginGetEngineName # optional
hipdnnEnginePluginGetWorkspaceSize
hipdnnEnginePluginGetWorkspaceSizeFromExecutionContext
hipdnnEnginePluginSetStream
hipdnnPluginGetApiVersion
hipdnnPluginGetLastErrorString
hipdnnPluginGetName
hipdnnPluginGetType
hipdnnPluginGetVersion
hipdnnPluginSetLogLevel # optional
hipdnnPluginSetLoggingCallback
NAMES
) <(llvm-nm-22 --dynamic --defined-only --format=just-symbols "$library" | LC_ALL=C sort)

needed=$(llvm-readelf-22 --dynamic "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[[ -n $needed ]] || { echo "finds no libraries that $library needs" >&2; exit 1; }
if grep -vE '^(lib(c|m|dl|rt|pthread|gcc_s|z|amdhip64|LLVM.*)\.so|ld-linux)' <<<"$needed"; then
  echo "the library needs these" >&2
  exit 1
fi
