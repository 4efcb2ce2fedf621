#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bazel: what its disk cache has does not reach the remote cache.
#
# Guess    With --disk_cache and --remote_cache both caches end up with every action's outputs: a machine with a full disk cache fills the team's new remote one.
# Really   An action found in the disk cache is not uploaded, nor is the remote cache asked for it; what is executed is uploaded. A remote cache that is filled by
#          a machine with a disk cache lacks whatever that machine had built before, and no message says so.
# Version  Bazel 7.7.1
# Seen     an action found in the disk cache: no request to the remote cache; the same without the disk cache's files: 4 PUT
set -euo pipefail
source "${BASH_SOURCE[0]%/*}/lib/node.sh"

version=7.7.1
if [[ -z ${BAZEL:-} ]]; then
  packages @bazel/bazelisk@1.28.1
  BAZEL=$work/node_modules/.bin/bazelisk
fi
export USE_BAZEL_VERSION=$version
cat >"$work/server.py" <<'PYTHON'
import http.server, sys

stored = {}

class Cache(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def answer(self, status, body=b''):
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        print('GET', file=sys.stderr, flush=True)
        self.answer(200, stored[self.path]) if self.path in stored else self.answer(404)

    def do_PUT(self):
        print('PUT', file=sys.stderr, flush=True)
        stored[self.path] = self.rfile.read(int(self.headers['Content-Length']))
        self.answer(200)

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Cache)
print(server.server_address[1], flush=True)
server.serve_forever()
PYTHON
python3 "$work/server.py" >"$work/port" 2>"$work/requests" &
server=$!
trap 'kill $server; "$BAZEL" --output_user_root="$work/root" shutdown 2>/dev/null; chmod -R u+w "$work"; rm -rf "$work"' EXIT
until [[ -s $work/port ]]; do sleep 0.1; done

mkdir "$work/workspace" && cd "$work/workspace"
touch WORKSPACE
echo 'genrule(name = "file", outs = ["file.txt"], cmd = "echo content > $@")' >BUILD
build() { # FLAG...: from an empty output tree
  "$BAZEL" --output_user_root="$work/root" clean >/dev/null 2>&1
  "$BAZEL" --output_user_root="$work/root" build --noenable_bzlmod --enable_workspace --disk_cache="$work/disk" "$@" //:file >"$work/log" 2>&1 || { cat "$work/log"; exit 2; }
}
requests() { grep -c "$1" "$work/requests" || true; }

expect "Bazel's version" "bazel $version" "$("$BAZEL" --version)"
build
build --remote_cache="http://127.0.0.1:$(<"$work/port")"
expect 'what Bazel says of a disk cache that has the action' '1 disk cache hit' "$(grep -o '[0-9]* disk cache hit' "$work/log")"
expect 'the number of requests to the empty remote cache' 0 "$(requests '')"
rm -rf "$work/disk"
build --remote_cache="http://127.0.0.1:$(<"$work/port")"
expect 'the number of uploads once the disk cache is gone' 4 "$(requests PUT)"
