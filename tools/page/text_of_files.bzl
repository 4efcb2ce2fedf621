# SPDX-License-Identifier: MIT
"""Files as a string in C++."""

def text_of_files(name, files):
    """Makes <name>.inc, a raw string literal of the files one after the other; licences become comments."""
    native.genrule(
        name = name,
        srcs = files,
        outs = [name + ".inc"],
        cmd = """
{ echo 'R"PAGE('
  for file in $(SRCS); do
    case $$file in
      *.LICENSE) echo '/*'; cat "$$file"; echo '*/' ;;
      *) cat "$$file"; echo ;;
    esac
  done
  echo ')PAGE"'
} >$@""",
    )
