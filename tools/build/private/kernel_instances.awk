# Deals the instances of a list to shards. With source=1 it prints the instances of one shard, as the source that is compiled; else, for host
# code, where each instance is: its shard, and the hash that its kernel's symbol ends with.
#
#   awk -v source=0 -v shards=12 -f kernel_instances.awk LIST
#   awk -v source=1 -v shards=12 -v shard=3 -v header=H -v wanted=REGEX -v types=REGEX -f kernel_instances.awk LIST
#
# An instance's hash is of its text without blanks, so that another instance that is added, moved or removed changes neither its shard nor its
# symbol. Only where there is a shard an instance do they follow each other as in the list. How plans use an instance (REQUESTED_,
# instances/README.md) is nothing to its kernel, and which instances are wanted nothing to their shards.

BEGIN {
  instances = 0
  for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i
  if (source) printf "#include \"%s\"\n", header
}

# All numbers stay below 2^53, which doubles hold.
function hash_of(text, i, hash) {
  hash = 5381
  for (i = 1; i <= length(text); i++) hash = (hash * 33 + code[substr(text, i, 1)]) % 4294967291
  return hash
}

/^[A-Z][A-Z0-9_]*[(]/ {
  sub(/^REQUESTED_/, "")
  instance[instances] = $0
  gsub(/[ \t]/, "")
  hash[instances] = hash_of($0)
  symbol[instances] = sprintf("%04x%04x", int(hash[instances] / 65536), hash[instances] % 65536)
  if (symbol[instances] in line) {
    printf "%s:%d: has the hash of line %d; is it the same instance?\n", FILENAME, NR, line[symbol[instances]] > "/dev/stderr"
    failed = 1
    exit
  }
  line[symbol[instances++]] = NR
}

END {
  for (i = 0; i < instances && !failed; i++) {
    at = instances <= shards ? i : hash[i] % shards
    if (!source) printf "{%d, \"%s\"},\n", at, symbol[i]
    else if (at == shard && instance[i] ~ wanted && instance[i] ~ types)
      printf "#define GRIDWISE_INSTANCE_HASH %s\n%s\n#undef GRIDWISE_INSTANCE_HASH\n", symbol[i], instance[i]
  }
  exit failed
}
