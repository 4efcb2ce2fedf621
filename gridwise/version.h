#pragma once

namespace gridwise {

/// The library's version, as in MODULE.bazel. The text of a plan contains it.
inline constexpr char kVersion[] = "0.2.0";

}  // namespace gridwise
