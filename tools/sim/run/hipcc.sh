#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# hipcc: compiles HIP programs, for all devices that the simulator has unless told which.
#
#   hipcc [--offload-arch=gfx1100,gfx942]... [--genco] [clang's options] file... [@file with more of these]
#
# Sources (.hip, .cpp, .cc, .cxx, .cu) are HIP; what else is given is clang's. Without -c, -S or -E the program is linked
# with libamdhip64, in whose place `run` puts the simulator; --genco makes code objects for hipModuleLoad instead.
set -euo pipefail

# shellcheck disable=SC2034  # the settings below name it
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
clang=%{clang}
tools=%{tools}
default_devices=(%{devices})
fixed=(%{flags})
link_flags=(%{link_flags})

usage() {
  sed -n '/^# hipcc:/,/^set -euo/{s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
  exit 1
}

# A device as clang names it: the features of a target ID in order (gfx942:xnack-:sramecc+ is gfx942:sramecc+:xnack-).
canonical() {
  local features
  features=$(tr : '\n' <<< "$1" | tail -n +2 | sort | tr '\n' :)
  echo "${1%%:*}${features:+:${features%:}}"
}

# Adds the devices of --offload-arch, a list.
add_devices() {
  local device
  for device in ${1//,/ }; do
    case $device in
      gfx9* | gfx1[0-2]*) devices+=("$(canonical "$device")") ;;
      *)
        echo "hipcc: --offload-arch is $device; the simulator has ${default_devices[*]}" >&2
        exit 1
        ;;
    esac
  done
}

# Whether waves of a device have 64 lanes in the commands that clang would run, whatever option says so.
has_64_lanes() {
  local device=$1 commands=$2
  [[ $device != gfx9* ]] || return 0
  grep -- '"-cc1".*"-target-cpu" "'"${device%%:*}"'"' <<< "$commands" | grep -q -- '"+wavefrontsize64"'
}

folder=${BAZELW_WORKING_DIRECTORY:-${BUILD_WORKING_DIRECTORY:-}} # where the user typed `bazel run`
[[ -z $folder ]] || cd "$folder"
[[ $# -gt 0 ]] || usage
given=()
for argument in "$@"; do
  if [[ $argument = @* && -f ${argument#@} ]]; then # a response file: words that may be quoted
    mapfile -t -O "${#given[@]}" given < <(xargs -r -n 1 printf '%s\n' < "${argument#@}")
  else
    given+=("$argument")
  fi
done
set -- "${given[@]}"
devices=() arguments=() sources=0 separate=0 language= link=1
while [[ $# -gt 0 ]]; do
  case $1 in
    --help) usage ;;
    --offload-arch=* | --cuda-gpu-arch=*) add_devices "${1#*=}" ;;
    -fgpu-rdc)
      separate=1
      arguments+=("$1")
      ;;
    --genco)
      link=
      arguments+=(--cuda-device-only --gpu-bundle-output)
      ;;
    -c | -S | -E | -M | -MM | -fsyntax-only | --version)
      link=
      arguments+=("$1")
      ;;
    -o | -I | -D | -U | -L | -l | -B | -T | -u | -z | -MF | -MT | -MQ | -include | -imacros | -isystem | -iquote | \
      -idirafter | -isysroot | -x | -mllvm | -target | -Xclang | -Xlinker | -Xassembler | -Xpreprocessor | \
      -Xoffload-linker | -Xarch_*)
      [[ $1 != -x ]] || language=given
      [[ $# -gt 1 ]] || { echo "hipcc: $1 has no value" >&2 && exit 1; }
      arguments+=("$1" "$2")
      shift
      ;;
    -x?*)
      language=given
      arguments+=("$1")
      ;;
    -*) arguments+=("$1") ;;
    *.hip | *.cpp | *.cc | *.cxx | *.cu)
      sources=1
      [[ $language = given || $language = hip ]] || arguments+=(-x hip)
      [[ $language = given ]] || language=hip
      arguments+=("$1")
      ;;
    *) # an object or a library
      [[ $language != hip ]] || arguments+=(-x none)
      [[ $language != hip ]] || language=
      arguments+=("$1")
      ;;
  esac
  shift
done

options=("${fixed[@]}" -B "$tools")
[[ ${#devices[@]} -gt 0 || ($sources = 0 && $separate = 0) ]] || devices=("${default_devices[@]}")
for device in "${devices[@]}"; do options+=("--offload-arch=$device"); done
[[ -z $link ]] || arguments+=("${link_flags[@]}" --hip-link -Wl,--allow-shlib-undefined -lamdhip64)
if [[ $sources = 1 ]]; then
  # HIP 6's headers ask for a macro that clang 22 no longer defines.
  options+=(-Xarch_host -D__AMDGCN_WAVEFRONT_SIZE=64)
  commands=$("$clang" "${options[@]}" "${arguments[@]}" -### 2>&1) || true # what is wrong, clang says below
  for device in "${devices[@]}"; do
    has_64_lanes "$device" "$commands" && lanes=64 || lanes=32
    options+=("-Xarch_$device" "-D__AMDGCN_WAVEFRONT_SIZE=$lanes")
  done
fi
exec "$clang" "${options[@]}" "${arguments[@]}"
