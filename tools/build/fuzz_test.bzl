# SPDX-License-Identifier: MIT
"""fuzz_test: a libFuzzer program, and the test that runs it on the inputs that are kept."""

load("@rules_cc//cc:defs.bzl", "cc_test")

def fuzz_test(name, deps):
    """Declares the test `name`, whose LLVMFuzzerTestOneInput is in <name>.cc.

    `bazel test` runs it once on each file of corpus/<name>. `.ci/fuzz` looks for inputs that end badly.

    Args:
      name: name of the test, of its source and of its folder of inputs, of which there must be one.
      deps: of the source.
    """
    corpus = native.glob(["corpus/%s/*" % name], allow_empty = True)
    if not corpus:
        fail("%s: corpus/%s has no input; without one the test would look for inputs for ever" % (name, name))
    cc_test(
        name = name,
        size = "small",
        srcs = [name + ".cc"],
        # Each file is run once.
        args = ["$(rootpath %s)" % file for file in corpus],
        data = corpus,
        linkopts = ["-fsanitize=fuzzer"],
        tags = [
            "fuzz",
            "smoke",
        ],
        deps = deps + ["@com_google_absl//absl/log:check"],
    )
