# SPDX-License-Identifier: MIT
# Deals the instances of a list to shards. A line with .types = {A, B} is an instance for each of these types. `what` is one of:
#
#   source      the instances of one shard, as the source that is compiled
#   instances   for host code, the instances of all shards
#   codes       for host code, where each of these is: its shard, and the hash that its kernel's symbol ends with
#
#   awk -v what=codes -v shards=12 -f kernel_instances.awk LIST
#   awk -v what=source -v shards=12 -v shard=3 -v header=H -v wanted=REGEX -v types=REGEX -f kernel_instances.awk LIST
#
# An instance's hash is of its text without blanks, so that another instance that is added, moved or removed changes neither its shard nor its
# symbol. Only where there is a shard an instance do they follow each other as in the list. How plans use an instance (REQUESTED_,
# instances/README.md) is nothing to its kernel, and which instances are wanted nothing to their shards.

BEGIN {
  instances = 0
  for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i
  if (what == "source") printf "#include \"%s\"\n", header
}

# All numbers stay below 2^53, which doubles hold.
function hash_of(text, i, hash) {
  hash = 5381
  for (i = 1; i <= length(text); i++) hash = (hash * 33 + code[substr(text, i, 1)]) % 4294967291
  return hash
}

function add(text) {
  requested[instances] = sub(/^REQUESTED_/, "", text)
  instance[instances] = text
  gsub(/[ \t]/, "", text)
  hash[instances] = hash_of(text)
  symbol[instances] = sprintf("%04x%04x", int(hash[instances] / 65536), hash[instances] % 65536)
  if (symbol[instances] in line) {
    printf "%s:%d: has the hash of line %d; is it the same instance?\n", FILENAME, NR, line[symbol[instances]] > "/dev/stderr"
    failed = 1
    exit
  }
  line[symbol[instances++]] = NR
}

/^[A-Z][A-Z0-9_]*[(]/ {
  if (!match($0, /[.]types *= *[{][^}]*[}]/)) {
    add($0)
    next
  }
  before = substr($0, 1, RSTART - 1)
  after = substr($0, RSTART + RLENGTH)
  list = substr($0, RSTART, RLENGTH)
  gsub(/^[^{]*[{]|[} ]/, "", list)
  count = split(list, type, ",")
  for (i = 1; i <= count; i++) add(before ".type = " type[i] after)
}

END {
  for (i = 0; i < instances && !failed; i++) {
    at = instances <= shards ? i : hash[i] % shards
    if (what == "codes") printf "{%d, \"%s\"},\n", at, symbol[i]
    else if (what == "instances") print (requested[i] ? "REQUESTED_" : "") instance[i]
    else if (at == shard && instance[i] ~ wanted && instance[i] ~ types)
      printf "#define GRIDWISE_INSTANCE_HASH %s\n%s\n#undef GRIDWISE_INSTANCE_HASH\n", symbol[i], instance[i]
  }
  exit failed
}
