#pragma once

namespace gridwise {

/// The library's version, MODULE.bazel's. Plans that are written down name it.
inline constexpr char kVersion[] = "0.2.0";

}  // namespace gridwise
