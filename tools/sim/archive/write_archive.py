#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a tar of programs with all that they need of this system: loader, libraries, clang with lld, and what it compiles and
links HIP programs with. Nothing in it depends on where it is unpacked. The same inputs give the same bytes.

    NAME/bin                links to the programs that a user calls
    NAME/lib                the loader and every shared library, ours beside the system's; and what programs are linked with
    NAME/lib/clang          clang's own headers, and AMD's device libraries
    NAME/libexec            start.sh under the name of each program, which starts libexec/programs/THE_SAME
    NAME/usr                clang's --sysroot below NAME: headers, and GCC's library
"""

import argparse
import glob
import io
import os
import stat
import subprocess
import sys
import tarfile

LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADER = "ld-linux-x86-64.so.2"
DATE = 1577836800  # 2020-01-01

# Headers of glibc that lie in /usr/include itself, where other packages have some, too.
GLIBC = """
    aio aliases alloca ar argp argz assert byteswap complex cpio ctype dirent dlfcn elf endian envz err errno error execinfo fcntl
    features features-time64 fenv fmtmsg fnmatch fstab fts ftw gconv getopt glob gnu-versions grp gshadow iconv ifaddrs inttypes
    langinfo lastlog libgen libintl limits link locale malloc math mcheck memory mntent monetary mqueue netdb nl_types nss obstack
    paths poll printf pthread pty pwd re_comp regex regexp resolv sched search semaphore setjmp sgtty shadow signal spawn stab
    stdbit stdc-predef stdint stdio stdio_ext stdlib string strings syscall sysexits syslog tar termios tgmath threads time ttyent
    uchar ucontext ulimit unistd utime utmp utmpx values wait wchar wctype wordexp""".split()
# What HIP programs are compiled and linked with: patterns of paths below /.
SYSROOT = (
    *(f"usr/include/{name}.h" for name in GLIBC),
    *(f"usr/include/{folder}" for folder in ("arpa", "asm-generic", "c++", "finclude", "linux", "net*", "protocols", "rpc", "scsi")),
    *(f"usr/include/x86_64-linux-gnu/{name}" for name in ("asm", "bits", "c++", "gnu", "sys", "fpu_control.h", "ieee754.h")),
    *(f"usr/lib/gcc/x86_64-linux-gnu/*/{name}" for name in ("crt*.o", "libatomic.*", "libgcc*", "libstdc++*", "libsupc++.a")),
)
# The part of LIBRARIES that a linker looks for, and the files that its linker scripts name.
LINKED = (
    *("Scrt1.o", "crt1.o", "crti.o", "crtn.o", "libc.so", "libc_nonshared.a", "libm.so", "libmvec.so*", "libatomic.so.1"),
    *("libdl.a", "libdl.so.2", "libpthread.a", "libpthread.so.0", "libresolv.so*", "librt.a", "librt.so.1", "libutil.a"),
)
# The texts of their licences.
LICENSES = tuple(f"usr/share/common-licenses/{name}" for name in ("Apache-2.0", "GPL-2", "GPL-3", "LGPL-2.1"))


class Archive:
    """What goes into the tar: by name, the path of a file, or the target of a link."""

    def __init__(self, root):
        self.root = root
        self.files = {}
        self.links = {}

    def add(self, name, source):
        """A file, or all of a folder. What is a link on this system is the file that it leads to."""
        if os.path.isdir(source):
            for entry in sorted(os.listdir(source)):
                self.add(f"{name}/{entry}", f"{source}/{entry}")
        else:
            self.files.setdefault(name, os.path.realpath(source))

    def add_matches(self, pattern, name_of):
        matches = sorted(glob.glob(f"{self.root}/{pattern}"))
        if not matches:
            raise SystemExit(f"there is no {self.root}/{pattern}: the archive is made of Debian's packages, as bazelw has them")
        for path in matches:
            self.add(name_of(path.removeprefix(f"{self.root}/")), path)

    def add_program(self, name, source, start):
        self.add(f"libexec/programs/{name}", source)
        self.add(f"libexec/{name}", start)

    def add_shared_libraries(self, program):
        """What the loader finds for a program or library, and the loader."""
        loader = f"{self.root}/lib64/{LOADER}"
        listed = subprocess.run([loader, "--list", program], capture_output=True, text=True, check=False)
        if listed.returncode:
            raise SystemExit(f"{loader} --list {program}: {listed.stdout}{listed.stderr}")
        for line in listed.stdout.splitlines():  # "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x7f...)"
            name, _, found = line.partition(" => ")
            if found:
                self.add(f"lib/{os.path.basename(name.strip())}", found.rsplit(" (", 1)[0])
        self.add(f"lib/{LOADER}", loader)

    def write(self, path, folder):
        names = set(self.files) | set(self.links)
        parents = {name[:i] for name in names for i, c in enumerate(name) if c == "/"}
        with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as out:
            for name in sorted(names | parents):
                entry = tarfile.TarInfo(f"{folder}/{name}")
                entry.mtime, entry.mode = DATE, 0o755
                if name in self.links:
                    entry.type, entry.linkname = tarfile.SYMTYPE, self.links[name]
                    self.check_link(name, names | parents)
                    out.addfile(entry)
                elif name in parents:
                    entry.type = tarfile.DIRTYPE
                    out.addfile(entry)
                else:
                    with open(self.files[name], "rb") as file:
                        content = file.read()
                    executable = os.stat(self.files[name]).st_mode & stat.S_IXUSR
                    entry.size, entry.mode = len(content), 0o755 if executable else 0o644
                    out.addfile(entry, io.BytesIO(content))

    def check_link(self, name, names):
        target = os.path.normpath(os.path.join(os.path.dirname(name), self.links[name]))
        if target != "." and target not in names:
            raise SystemExit(f"the link {name} leads to {self.links[name]}, which is not in the archive")


def add_clang(archive, clang, device_libraries, start):
    clang = os.path.realpath(clang)
    run = subprocess.run([clang, "-print-resource-dir"], capture_output=True, text=True, check=True)
    resources = run.stdout.strip()
    # Where clang, started as libexec/clang++, looks for it.
    archive.add(f"lib/clang/{os.path.basename(resources)}/include", f"{resources}/include")
    archive.add("lib/clang/amdgcn", device_libraries)
    for name, source in (("clang++", clang), ("lld", f"{os.path.dirname(clang)}/lld")):
        archive.add_program(name, source, start)
        archive.add_shared_libraries(source)
    archive.add("libexec/ld.lld", start)
    archive.links["libexec/programs/ld.lld"] = "lld"


def add_sysroot(archive, rocm):
    for pattern in SYSROOT:
        archive.add_matches(pattern, lambda name: name)
    for pattern in LINKED:
        archive.add_matches(f"{LIBRARIES}/{pattern}", lambda name: f"lib/{os.path.basename(name)}")
    archive.add("usr/include/hip", f"{rocm}/include/hip")
    archive.add("usr/share/hip/version", f"{rocm}/share/hip/version")
    archive.links[LIBRARIES] = "../../lib"
    archive.links["lib64"] = "lib"
    for pattern in LICENSES:
        archive.add_matches(pattern, lambda name: f"licenses/{os.path.basename(name)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("out", "folder", "start", "clang", "device-libraries", "rocm", "hip-library"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--root", default="", help="the folder of the system's usr/")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--file", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--link", action="append", default=[], metavar="NAME=TARGET")
    options = parser.parse_args()

    archive = Archive(options.root)
    for name, _, source in (program.partition("=") for program in options.program):
        archive.add_program(name, source, options.start)
        archive.add_shared_libraries(source)
    archive.add("lib/libamdhip64.so.6", options.hip_library)
    archive.add_shared_libraries(options.hip_library)
    for name in ("libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.7"):
        archive.links[f"lib/{name}"] = "libamdhip64.so.6"
    add_clang(archive, options.clang, options.device_libraries, options.start)
    add_sysroot(archive, options.rocm)
    for name, _, source in (file.partition("=") for file in options.file):
        archive.add(name, source)
    archive.links.update(link.partition("=")[::2] for link in options.link)
    archive.write(options.out, options.folder)


if __name__ == "__main__":
    sys.exit(main())
