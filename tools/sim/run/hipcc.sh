#!/usr/bin/env bash
# hipcc: compiles HIP programs, for all devices that the simulator has unless told which.
#
#   hipcc [--offload-arch=gfx1100]... [--genco] [clang's options] file...
#
# Sources (.hip, .cpp, .cc, .cxx, .cu) are HIP; what else is given is clang's. Without -c, -S or -E the program is linked
# with libamdhip64, in whose place //tools/sim:run puts the simulator; --genco makes code objects for hipModuleLoad instead.
set -euo pipefail

clang=%{clang}
default_devices=(%{devices})
fixed=(--rocm-path=%{rocm_path} %{flags})
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/%{tools}

usage() {
  sed -n '2,/^set -euo/{s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
  exit 1
}

# Lanes of a wave. HIP 6's headers ask for a macro that clang 22 no longer defines.
wave_size() {
  case $1 in
    gfx9*) echo 64 ;;
    gfx1[0-2]*) echo 32 ;;
    *)
      echo "hipcc: --offload-arch is $1; the simulator has ${default_devices[*]}" >&2
      exit 1
      ;;
  esac
}

folder=${BAZELW_WORKING_DIRECTORY:-${BUILD_WORKING_DIRECTORY:-}} # where the user typed `bazel run`
[[ -z $folder ]] || cd "$folder"
[[ $# -gt 0 ]] || usage
devices=() arguments=() sources=0 language= link=1
while [[ $# -gt 0 ]]; do
  case $1 in
    --help) usage ;;
    --offload-arch=*) devices+=("${1#*=}") ;;
    --genco)
      link=
      arguments+=(--cuda-device-only --gpu-bundle-output)
      ;;
    -c | -S | -E | -M | -MM | -fsyntax-only | --version)
      link=
      arguments+=("$1")
      ;;
    -o | -I | -D | -U | -L | -l | -B | -MF | -MT | -MQ | -include | -isystem | -iquote | -x | -Xclang | -Xlinker | -Xarch_*)
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
if [[ $sources = 1 ]]; then
  [[ ${#devices[@]} -gt 0 ]] || devices=("${default_devices[@]}")
  options+=(-Xarch_host -D__AMDGCN_WAVEFRONT_SIZE=64)
fi
for device in "${devices[@]}"; do
  lanes=$(wave_size "$device") || exit
  options+=("--offload-arch=$device" "-Xarch_${device%%:*}" "-D__AMDGCN_WAVEFRONT_SIZE=$lanes")
done
[[ -z $link ]] || arguments+=(--hip-link -Wl,--allow-shlib-undefined -lamdhip64)
exec "$clang" "${options[@]}" "${arguments[@]}"
