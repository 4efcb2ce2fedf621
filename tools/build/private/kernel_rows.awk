# Deals the rows of a list to shards. With source=1 it prints the rows of one shard, as the source that is compiled; else, for host
# code, where each row is: its shard, and the hash that its kernel's symbol ends with.
#
#   awk -v source=0 -v shards=12 -f kernel_rows.awk LIST
#   awk -v source=1 -v shards=12 -v shard=3 -v header=H -v wanted=REGEX -v types=REGEX -f kernel_rows.awk LIST
#
# A row's hash is of its text without blanks, so that another row that is added, moved or removed changes neither its shard nor its
# symbol. Only where there is a shard a row do they follow each other as in the list. How plans use a row (REQUESTED_,
# gridwise/README.md) is nothing to its kernel, and which rows are wanted nothing to their shards.

BEGIN {
  rows = 0
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
  row[rows] = $0
  gsub(/[ \t]/, "")
  hash[rows] = hash_of($0)
  symbol[rows] = sprintf("%04x%04x", int(hash[rows] / 65536), hash[rows] % 65536)
  if (symbol[rows] in line) {
    printf "%s:%d: has the hash of line %d; is it the same row?\n", FILENAME, NR, line[symbol[rows]] > "/dev/stderr"
    failed = 1
    exit
  }
  line[symbol[rows++]] = NR
}

END {
  for (i = 0; i < rows && !failed; i++) {
    at = rows <= shards ? i : hash[i] % shards
    if (!source) printf "{%d, \"%s\"},\n", at, symbol[i]
    else if (at == shard && row[i] ~ wanted && row[i] ~ types)
      printf "#define GRIDWISE_ROW_HASH %s\n%s\n#undef GRIDWISE_ROW_HASH\n", symbol[i], row[i]
  }
  exit failed
}
