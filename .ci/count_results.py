# SPDX-License-Identifier: MIT
"""Prints "N passed, N failed" for the test cases of a Bazel run; exits with 0 when some ran and none failed.

The input is the file that `bazel test --build_event_json_file=...` writes. A test that failed without saying which case
did (it crashed, timed out or did not build) counts as one failure, and so does each other check that the caller says
failed. Tests that Bazel skipped as incompatible with the build are named before: those of a target by its name alone.
"""

import argparse
import collections
import json
import sys
import urllib.parse
import xml.etree.ElementTree


def read_events(path):
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.strip()]
    except OSError as error:
        print("no test results:", error)
        return []


def count_cases(xml_path):
    """Returns (passed, failed, skipped) of a test.xml."""
    passed = failed = skipped = 0
    for case in xml.etree.ElementTree.parse(xml_path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_attempt(result):
    """Returns the counts of one shard of one test target."""
    passed = failed = skipped = 0
    for output in result.get("testActionOutput", []):
        if output["name"] == "test.xml":
            path = urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path)
            passed, failed, skipped = count_cases(path)
    if result.get("status") == "PASSED":
        # A test that does not write test cases of its own is one case.
        return max(passed, 0 if skipped else 1), failed, skipped
    return passed, max(failed, 1), skipped


def print_incompatible(tests):
    """Prints which tests, {label: tags}, were skipped as incompatible."""
    of_targets = collections.Counter()
    for label, tags in sorted(tests.items()):
        target = next((tag for tag in tags if label.endswith("_" + tag)), None)
        if target:
            of_targets[target] += 1
        else:
            print("incompatible:", label)
    if of_targets:
        print("incompatible:", ", ".join("%d tests of %s" % (n, target) for target, n in sorted(of_targets.items())))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bazel-exit-code", type=int, required=True)
    parser.add_argument("--failed-checks", type=int, default=0)
    parser.add_argument("events")
    options = parser.parse_args()

    attempts = {}  # (label, shard, run) -> counts of the last attempt
    unbuilt = set()
    tags = {}  # of tests, by label
    incompatible = {}
    for event in read_events(options.events):
        kind = event.get("id", {})
        if "testResult" in kind and "testResult" in event:
            key = tuple(str(kind["testResult"].get(k)) for k in ("label", "shard", "run"))
            attempts[key] = count_attempt(event["testResult"])
        elif "targetConfigured" in kind and event.get("configured", {}).get("testSize"):
            tags[kind["targetConfigured"]["label"]] = event["configured"].get("tag", [])
        elif "targetCompleted" in kind and not event.get("completed", {}).get("success", False):
            # A target that was skipped as incompatible was not meant to be built.
            label = kind["targetCompleted"]["label"]
            if event.get("aborted", {}).get("reason") != "SKIPPED":
                unbuilt.add(label)
            elif label in tags:
                incompatible[label] = tags[label]
    total = collections.Counter()
    for passed, failed, skipped in attempts.values():
        total.update(passed=passed, failed=failed, skipped=skipped)
    print_incompatible(incompatible)
    for label in sorted(unbuilt):
        print("did not build:", label)
    failed = total["failed"] + len(unbuilt)
    if not failed and (options.bazel_exit_code != 0 or not attempts):
        print("bazel exited with %d; %d tests ran" % (options.bazel_exit_code, len(attempts)))
        failed = 1
    failed += options.failed_checks
    tail = ", %d skipped" % total["skipped"] if total["skipped"] else ""
    print("%d passed, %d failed%s" % (total["passed"], failed, tail))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
