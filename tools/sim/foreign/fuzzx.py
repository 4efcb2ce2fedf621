# SPDX-License-Identifier: MIT
"""Runs the kernels of FuzzX' amdgpu/known-miscompiles on the simulator, as a gfx950.

Each is a kernel in LLVM's IR that some version of clang has compiled to different results at -O0 and -O2. Its notes hold what a gfx950 then
stored. Here clang 22 compiles both; it has other bugs than those versions, so a result counts as confirmed if the notes have it from
either compilation.
"""

import ctypes
import glob
import multiprocessing
import os
import re
import struct

from hip import Fault, compile_code_object

TARGET = "gfx950"
THREADS = 256
SECONDS = 60  # a miscompiled loop need not end
PAGE = 4096  # kernels access more than their data, and the runner that comes with them allocates by the page
STACK = 16384  # bytes a lane; alloca in loops
FORK = multiprocessing.get_context("fork")
KERNEL = re.compile(r"amdgpu_kernel void @fuzz_kernel\(ptr addrspace\(1\) %in, ptr addrspace\(1\) %out(, i32 %[\w.]+)?\)")

OUTCOMES = {
    "pair": "both results, and by the same compilation as in the notes",
    "value": "both results are in the notes",
    "other": "a result is another than those in the notes",
    "fault": "the simulator refuses an instruction or an access",
    "no end": "not done in %d s" % SECONDS,
    "ran": "the notes have no results, or not those that the kernel stores",
    "not built": "clang 22 or the loader of code objects refuses it",
    "left out": "for another GPU, or the kernel has other arguments than input, output and their number",
}


def inputs_of(source):
    """The words that the comment `RUN-INPUTS:` lists, as 1, 0x10 or 0*256."""
    comment = re.search(r"RUN-INPUTS:\s*(.*)", source)
    words = []
    for token in re.split(r"[\s,]+", comment.group(1).strip("[] \r")) if comment else ["0"]:
        value, _, times = token.partition("*")
        words += [int(value, 0) & 0xFFFFFFFF] * int(times or "1")
    return words


def recorded_results(notes, inputs):
    """(index, -O0, -O2) for each pair in the notes; the index is None where they do not say it."""
    pairs = []
    for match in re.finditer(r"(?:^\s*\[(\d+)\]\s*|\blane (\d+) )?(?:input=(0x[0-9a-fA-F]+)\s+)?"
                             r"`?O0=(0x[0-9a-fA-F]+)`?(?:\s*;[^\n]*)?[\s,]+`?O2=(0x[0-9a-fA-F]+)", notes, re.M):
        index = match.group(1) or match.group(2)
        if index is None and match.group(3) and int(match.group(3), 16) in inputs:
            index = inputs.index(int(match.group(3), 16))
        if index is None and len(inputs) == 1:
            index = 0
        pairs.append((None if index is None else int(index), int(match.group(4), 16), int(match.group(5), 16)))
    return [pair for pair in pairs if pair[0] is None or pair[0] < len(inputs)]


def compare(results, recorded):
    """Which of OUTCOMES the two lists of words in `results` are, and a word on it."""
    outcome = "pair"
    for index in sorted({pair[0] for pair in recorded}, key=str):
        pairs = {pair[1:] for pair in recorded if pair[0] == index}
        words = {word for pair in pairs for word in pair}
        mine = list(zip(*results)) if index is None else [(results[0][index], results[1][index])]
        if any(pair in pairs for pair in mine):
            continue
        if not any(words.issuperset(pair) for pair in mine):
            said = " or ".join(f"{a:#010x}, {b:#010x}" for a, b in sorted(pairs))
            return "other", f"input {index}: {mine[0][0]:#010x}, {mine[0][1]:#010x}; recorded {said}"
        outcome = "value"
    return outcome, ""


def execute(hip, objects, inputs, pipe):
    """In a process of its own: sends the two lists of words that the kernel stores, or the fault."""
    try:
        hip.open()
        hip.select(TARGET)
        hip.call("hipDeviceSetLimit", 0, ctypes.c_size_t(STACK))
        data = struct.pack(f"<{len(inputs)}I", *inputs).ljust(PAGE, b"\0")
        results = []
        for code_object in objects:
            source, out = hip.allocate(data), hip.allocate(bytes(len(data)))
            arguments = struct.pack("<QQI4x", source.value, out.value, len(inputs))
            hip.run(code_object, "fuzz_kernel", (-(-len(inputs) // THREADS), 1, 1), (THREADS, 1, 1), arguments)
            results.append(struct.unpack_from(f"<{len(inputs)}I", hip.read(out, len(data))))
        pipe.send(("ran", results))
    except Fault as fault:
        pipe.send(("fault", str(fault)))


def run_program(hip, path):
    """Which of OUTCOMES a program has, and a word on it."""
    with open(path, encoding="utf-8") as file:
        source = file.read()
    with open(os.path.join(os.path.dirname(path), "NOTES.md"), encoding="utf-8") as file:
        notes = file.read()
    if not KERNEL.search(source) or set(re.findall(r'"target-cpu"="(\w+)"', source)) - {TARGET}:
        return "left out", ""
    try:
        objects = [compile_code_object(source, "ir", TARGET, level) for level in ("-O0", "-O2")]
    except RuntimeError as error:
        return "not built", str(error).splitlines()[0]
    inputs = inputs_of(source)
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=execute, args=(hip, objects, inputs, sender))
    process.start()
    sender.close()
    try:
        kind, said = receiver.recv() if receiver.poll(SECONDS) else ("no end", "")
    except (EOFError, ConnectionError):
        kind, said = "fault", "the process ended"
    process.kill()
    process.join()
    if kind != "ran":
        return ("not built" if "hipModuleLoad" in said else kind), said
    recorded = recorded_results(notes, inputs)
    return compare(said, recorded) if recorded else ("ran", "")


def main(hip, folder):
    """Prints a table, and what is not confirmed. Returns whether nothing contradicts the notes."""
    paths = sorted(glob.glob(os.path.join(folder, "amdgpu/known-miscompiles/*/*.ll")))
    counts, lines = dict.fromkeys(OUTCOMES, 0), []
    for path in paths:
        outcome, said = run_program(hip, path)
        counts[outcome] += 1
        if outcome in ("other", "fault", "no end", "not built"):
            lines.append(f"{outcome}: {os.path.relpath(path, os.path.join(folder, 'amdgpu/known-miscompiles'))}: {said}"[:400])
    print("| outcome | programs | |\n|---|---|---|")
    for outcome, count in counts.items():
        print(f"| {outcome} | {count} | {OUTCOMES[outcome]} |")
    print("\n".join(lines))
    return counts["pair"] + counts["value"] > 0 and counts["other"] + counts["fault"] + counts["no end"] == 0
