# SPDX-License-Identifier: MIT
# Sourced by the findings about LLVM: unpacks LLVM of Debian 12 into the temporary folder, version 19 unless `llvm_major` is 22. It needs Debian 12 (a
# container will do) and apt's lists (apt-get update); nothing is installed. LLVM's version is pinned; the libraries that it links against are those of the suite.
source "${BASH_SOURCE[0]%/*}/common.sh"

llvm_major=${llvm_major:-19}
case $llvm_major in
19) llvm='1:19.1.7-3~deb12u1' ;;
22) llvm='1:22.1.8-1~deb12u1' ;;
esac
if ! (cd "$work" && apt-get -q -o APT::Sandbox::User=root download "llvm-$llvm_major=$llvm" "llvm-$llvm_major-runtime=$llvm" "libllvm$llvm_major=$llvm" \
  libbsd0 libedit2 libffi8 libicu72 libmd0 libxml2 libz3-4) >"$work/log" 2>&1; then
  cat "$work/log"
  echo "LLVM $llvm could not be downloaded: apt must know Debian 12's packages."
  exit 2
fi
for package in "$work"/*.deb; do
  dpkg-deb -x "$package" "$work"
done

# llvm PROGRAM ARGUMENT...
llvm() {
  LD_LIBRARY_PATH="$work/usr/lib/x86_64-linux-gnu:$work/usr/lib/llvm-$llvm_major/lib" "$work/usr/lib/llvm-$llvm_major/bin/$1" "${@:2}"
}
# amdgpu GPU FUNCTION <IR: the instructions of a function, separated by "; ", without waits and the return
amdgpu() {
  llvm llc -mtriple=amdgcn-amd-amdhsa -mcpu="$1" -o - | sed -n "/^$2:/,/s_setpc_b64/p" |
    grep -oE '^\s+[vs]_.*' | grep -vE 's_waitcnt|s_setpc|s_delay_alu|s_nop' | sed -E 's/^\s+//; s/\s+/ /g; s/_e(32|64)\b//' | paste -sd '|' | sed 's/|/; /g'
}
