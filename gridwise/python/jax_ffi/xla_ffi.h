// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace gridwise::jax_ffi {

// The C ABI by which XLA calls foreign functions (xla/ffi/api/c_api.h), as far as it is used here.
// It has no functions to link with: XLA passes a table of them. Structs begin with their size and
// grow at the end. XLA takes handlers of its own version and of earlier ones
// (xla/ffi/ffi_registry.cc). jax_test.py compares these declarations with the header that jaxlib
// ships.

/// The version that these declarations are of.
inline constexpr int kMajor = 0, kMinor = 2;

struct Version {
  std::size_t size;
  void* extension;
  int major, minor;
};

/// An element of a list of what a call has besides its arguments.
struct Extension {
  std::size_t size;
  int kind;
  Extension* next;
};
/// With this one XLA asks what a handler is, and calls nothing.
inline constexpr int kMetadata = 1;

struct Metadata {
  std::size_t size;
  Version version;
  std::uint32_t traits;
};
/// A handler may be called while a CUDA graph is captured: it launches the same work each time.
inline constexpr std::uint32_t kCommandBufferCompatible = 1;

struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

struct Error;    // XLA's, which owns it
struct Context;  // what a call executes in

struct ErrorArguments {
  std::size_t size;
  void* extension;
  const char* message;
  int code;  // absl::StatusCode, as gridwise_status
};

struct StreamArguments {
  std::size_t size;
  void* extension;
  Context* context;
  void* stream;  // result
};

struct DeviceArguments {
  std::size_t size;
  void* extension;
  Context* context;
  std::int32_t device;  // result: CUDA's or HIP's number
};

/// XLA's functions.
struct Api {
  std::size_t size;
  void* extension;
  Version version;
  void* internal;
  Error* (*new_error)(ErrorArguments*);
  void* unused[3];
  Error* (*stream)(StreamArguments*);
  void* also_unused[12];
  Error* (*device)(DeviceArguments*);
};

/// An array, dense in the order that the program asks for.
struct Buffer {
  std::size_t size;
  void* extension;
  int type;
  void* data;
  std::int64_t rank;
  std::int64_t* dims;
};

/// Arguments or results. All are Buffers.
struct Buffers {
  std::size_t size;
  void* extension;
  std::int64_t count;
  int* kinds;
  void** values;
};

struct Text {
  const char* data;
  std::size_t size;
};
inline constexpr int kText = 4;  // an attribute that is one

struct Attributes {
  std::size_t size;
  void* extension;
  std::int64_t count;
  int* kinds;
  Text** names;
  void** values;
};

struct Frame {
  std::size_t size;
  Extension* extension;
  const Api* api;
  Context* context;
  int stage;
  Buffers arguments;
  Buffers results;
  Attributes attributes;
};

}  // namespace gridwise::jax_ffi
