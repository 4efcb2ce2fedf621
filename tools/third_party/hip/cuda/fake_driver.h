// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What the fake driver was asked for, and what it is to answer.
struct FakeDriver {
  int next_result = 0;       // what the next call that can fail returns
  const char* jit_log = "";  // the log of modules that do not load
  std::string image;         // text of the last module
  void* current = nullptr;   // context
  int retained = 0;          // primary contexts
  int contexts_made_current = 0;
  std::vector<std::array<std::size_t, 2>>
      parameters;           // offset and bytes; the same for every kernel
  int facts_asked_for = 0;  // how often kernels' parameters or shared memory were asked for
  // The last launch.
  std::array<unsigned, 7> shape = {};  // grid, block, shared bytes
  unsigned cluster = 0;                // along x
  bool begins_early = false;
  std::vector<std::vector<char>> arguments;
  void* stream = nullptr;
  int max_dynamic_shared_bytes = 0;
  // The last tensor map.
  int type = 0, swizzle = 0;
  unsigned rank = 0;
  std::array<std::uint64_t, 5> size = {}, stride = {};
  std::array<int, 3> lower = {}, upper = {};
};

extern "C" FakeDriver* TheFakeDriver();
