# SPDX-License-Identifier: MIT
# Sourced by the findings about what cuDNN computes: cudnn runs the Python program on standard input, which may import lib/cudnn.py, with PyTorch and the
# cuDNN that it brings. Without a GPU of compute capability 9.0 sourcing this ends the script, before anything is installed, with a sentence.
source "${BASH_SOURCE[0]%/*}/python.sh"

capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 || true)
if [[ $capability != 9.0 ]]; then
  echo "Nothing was checked: this needs an NVIDIA GPU of compute capability 9.0 (H100, H200), and here is ${capability:-no NVIDIA GPU}."
  exit 0
fi
packages torch==2.11.0 nvidia-cudnn-cu13==9.19.0.56

cudnn() {
  cat >"$work/finding.py"
  PYTHONPATH=${BASH_SOURCE[0]%/*} PYTHONDONTWRITEBYTECODE=1 "$python" "$work/finding.py" >"$work/seen"
}

# seen NAME: what the program printed as "NAME: ...".
seen() {
  sed -n "s/^$1: //p" "$work/seen"
}
