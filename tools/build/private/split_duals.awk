# SPDX-License-Identifier: MIT
# Assembly of gfx11, with dual instructions split that may lose the wait for a source: those whose halves read src0, or both
# vsrc1, from different registers that are both even or both odd. Clang makes no such pairs from September 2026 on
# (llvm-project 220348); this does what it would have done before then. Of a dual instruction both halves read before either
# writes, so that the half goes first whose result the other one does not read.

function vector(operand) { return operand ~ /^v[0-9]+$/ ? substr(operand, 2) + 0 : -1 }

# Fills name[h], operands[h, 0 .. count[h] - 1]: the result comes first.
function parse(h, text,    parts, i) {
  sub(/^[ \t]+/, "", text)
  name[h] = text
  sub(/[ \t].*/, "", name[h])
  sub(/^[^ \t]+[ \t]+/, "", text)
  count[h] = split(text, parts, /,[ \t]*/)
  for (i = 1; i <= count[h]; ++i) operands[h, i - 1] = parts[i]
}

# Registers of src0 and vsrc1; a literal may stand between the two.
function src0(h) { return vector(operands[h, 1]) }
function vsrc1(h,    i, found) {
  found = -1
  for (i = 2; i < count[h]; ++i) if (vector(operands[h, i]) >= 0) found = vector(operands[h, i])
  return found
}
function collide(a, b) { return a >= 0 && b >= 0 && a != b && a % 2 == b % 2 }

function reads(h, register,    i) {
  for (i = name[h] ~ /fmac|dot2acc/ ? 0 : 1; i < count[h]; ++i) if (operands[h, i] == register) return 1
  return 0
}

function single(h,    text, i) {
  text = name[h]
  sub(/^v_dual_/, "v_", text)
  for (i = 0; i < count[h]; ++i) text = text (i ? ", " : " ") operands[h, i]
  return "\t" text (name[h] ~ /cndmask/ && count[h] == 3 ? ", vcc_lo" : "")
}

/^[ \t]*v_dual_.* :: v_dual_/ {
  line = $0
  sub(/[ \t]*(;|\/\/).*/, "", line)
  at = index(line, " :: ")
  parse(0, substr(line, 1, at - 1))
  parse(1, substr(line, at + 4))
  if (collide(src0(0), src0(1)) || collide(vsrc1(0), vsrc1(1))) {
    first = reads(1, operands[0, 0])
    if (first && reads(0, operands[1, 0])) {
      print "split_duals.awk: each half reads the other one's result:" $0 > "/dev/stderr"
      exit 1
    }
    print single(first)
    print single(1 - first)
    next
  }
}
{ print }
