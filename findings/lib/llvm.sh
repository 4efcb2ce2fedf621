# SPDX-License-Identifier: MIT
# Sourced by the findings about LLVM: unpacks LLVM of Debian 12 into the temporary folder, version 19 unless `llvm_major` is 22. Its version is pinned; the
# libraries that it links against are those of the suite.
source "${BASH_SOURCE[0]%/*}/debian.sh"

llvm_major=${llvm_major:-19}
case $llvm_major in
19) llvm='1:19.1.7-3~deb12u1' ;;
22) llvm='1:22.1.8-1~deb12u1' ;;
esac
packages "llvm-$llvm_major=$llvm" "llvm-$llvm_major-runtime=$llvm" "libllvm$llvm_major=$llvm" libbsd0 libedit2 libffi8 libicu72 libmd0 libxml2 libz3-4

# llvm PROGRAM ARGUMENT...
llvm() {
  LD_LIBRARY_PATH="$libraries:$work/usr/lib/llvm-$llvm_major/lib" "$work/usr/lib/llvm-$llvm_major/bin/$1" "${@:2}"
}
# amdgpu GPU FUNCTION <IR: the instructions of a function, separated by "; ", without waits and the return
amdgpu() {
  llvm llc -mtriple=amdgcn-amd-amdhsa -mcpu="$1" -o - | sed -n "/^$2:/,/s_setpc_b64/p" |
    grep -oE '^\s+[vs]_.*' | grep -vE 's_waitcnt|s_setpc|s_delay_alu|s_nop' | sed -E 's/^\s+//; s/\s+/ /g; s/_e(32|64)\b//' | paste -sd '|' | sed 's/|/; /g'
}
