// SPDX-License-Identifier: MIT
// The handlers, called as XLA calls them, with the simulator's memory.

#include "gridwise/python/jax_ffi/handler.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gridwise::jax_ffi {

/// XLA's, which owns errors.
struct Error {
  std::string message;
  int code;
};

namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kChannels = 16, kPixels = 8;

Error* NewError(ErrorArguments* arguments) {
  return new Error{arguments->message, arguments->code};
}
Error* DefaultStream(StreamArguments* arguments) {
  arguments->stream = nullptr;
  return nullptr;
}
Error* NoStream(StreamArguments*) { return new Error{"XLA has no stream", GRIDWISE_UNIMPLEMENTED}; }
Error* FirstDevice(DeviceArguments* arguments) {
  arguments->device = 0;
  return nullptr;
}

/// An error as text, and its code before it; "" for none.
std::string Said(Error* error) {
  if (error == nullptr) return "";
  std::string said = std::to_string(error->code) + " " + error->message;
  delete error;
  return said;
}

struct Freed {
  void operator()(void* memory) const { gridwise_free(memory); }
};
using Memory = std::unique_ptr<void, Freed>;

Memory Allocate(std::int64_t bytes) {
  void* memory = nullptr;
  EXPECT_EQ(gridwise_allocate(bytes, &memory), GRIDWISE_OK) << gridwise_message();
  return Memory(memory);
}
Memory Uploaded(const std::vector<float>& values) {
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(float));
  Memory memory = Allocate(bytes);
  EXPECT_EQ(gridwise_copy_to_device(memory.get(), values.data(), bytes), GRIDWISE_OK);
  return memory;
}

/// A call of XLA's: y = x w, a 1x1 convolution along one axis, in f32.
class Call {
 public:
  Call() {
    const gridwise_jax_library library = {gridwise_parse_plan, gridwise_free_plan, gridwise_load,
                                          gridwise_launch, gridwise_message};
    gridwise_jax_open(&library);
    EXPECT_EQ(gridwise_use_device(std::getenv("GRIDWISE_TEST_TARGET")), GRIDWISE_OK);
    gridwise_conv_problem problem;
    gridwise_conv_problem_init(&problem);
    problem.type = GRIDWISE_F32;
    problem.rank = 1;
    problem.c = problem.k = kChannels;
    problem.dims[2].in = kPixels;
    gridwise_plan* plan = nullptr;
    EXPECT_EQ(gridwise_make_plan(&problem, nullptr, nullptr, &plan), GRIDWISE_OK)
        << gridwise_message();
    SetLine(gridwise_plan_line(plan));
    workspace_bytes_ = gridwise_plan_workspace_bytes(plan);
    workspace_ = Allocate(workspace_bytes_);
    gridwise_free_plan(plan);

    std::vector<float> x(kPixels * kChannels), w(kChannels * kChannels);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 5) - 2;
    for (std::int64_t i = 0; i < kPixels * kChannels; ++i) {
      float& y = expected_.emplace_back(0.0f);
      for (std::int64_t c = 0; c < kChannels; ++c)
        y += x[i / kChannels * kChannels + c] * w[i % kChannels * kChannels + c];
    }
    x_ = Uploaded(x);
    w_ = Uploaded(w);
    y_ = Uploaded(std::vector<float>(expected_.size(), -1.0f));
  }

  void SetLine(std::string line) { line_ = std::move(line); }

  /// The frame of the call, which lives as long as this.
  Frame& MakeFrame(std::int64_t results = 2) {
    buffers_[0] = {sizeof(Buffer), nullptr, 0, x_.get(), 0, nullptr};
    buffers_[1] = {sizeof(Buffer), nullptr, 0, w_.get(), 0, nullptr};
    buffers_[2] = {sizeof(Buffer), nullptr, 0, y_.get(), 0, nullptr};
    buffers_[3] = {sizeof(Buffer), nullptr, 0, workspace_.get(), 1, &workspace_bytes_};
    for (std::size_t i = 0; i < 4; ++i) values_[i] = &buffers_[i];
    name_ = {name.data(), name.size()};
    text_ = {line_.data(), line_.size()};
    frame_ = {sizeof(Frame),
              nullptr,
              &api,
              nullptr,
              0,
              {sizeof(Buffers), nullptr, 2, nullptr, values_.data()},
              {sizeof(Buffers), nullptr, results, nullptr, values_.data() + 2},
              {sizeof(Attributes), nullptr, 1, &kind, names_.data(), attributes_.data()}};
    return frame_;
  }

  std::vector<float> Result() {
    std::vector<float> y(expected_.size());
    const auto bytes = static_cast<std::int64_t>(y.size() * sizeof(float));
    EXPECT_EQ(gridwise_synchronize(), GRIDWISE_OK) << gridwise_message();
    EXPECT_EQ(gridwise_copy_to_host(y.data(), y_.get(), bytes), GRIDWISE_OK);
    return y;
  }
  const std::vector<float>& expected() const { return expected_; }

  Api api = {sizeof(Api), nullptr, {}, nullptr, NewError, {}, DefaultStream, {}, FirstDevice};
  std::string name = "plan";
  int kind = kText;

 private:
  std::string line_;
  std::int64_t workspace_bytes_ = 0;
  std::vector<float> expected_;
  Memory x_, w_, y_, workspace_;
  std::array<Buffer, 4> buffers_ = {};
  std::array<void*, 4> values_ = {};
  Text name_ = {}, text_ = {};
  std::array<Text*, 1> names_ = {&name_};
  std::array<void*, 1> attributes_ = {&text_};
  Frame frame_ = {};
};

TEST(Handler, Computes) {
  Call call;
  EXPECT_EQ(Said(gridwise_jax_initialize(&call.MakeFrame())), "");
  EXPECT_THAT(call.Result(), testing::Each(-1.0f));  // that stage launches nothing
  EXPECT_EQ(Said(gridwise_jax_execute(&call.MakeFrame())), "");
  EXPECT_EQ(call.Result(), call.expected());
}

TEST(Handler, SaysWhatItIs) {
  Metadata metadata = {};
  metadata.size = sizeof(metadata);
  MetadataExtension question = {{sizeof(question), kMetadata, nullptr}, &metadata};
  Extension other = {sizeof(other), 1000, &question.base};
  Frame frame = {};  // XLA asks without a call
  frame.extension = &other;
  for (const auto handler : {gridwise_jax_initialize, gridwise_jax_execute}) {
    metadata.version = {};
    metadata.traits = 0;
    EXPECT_EQ(handler(&frame), nullptr);
    EXPECT_EQ(metadata.version.major, kMajor);
    EXPECT_EQ(metadata.version.minor, kMinor);
    EXPECT_EQ(metadata.traits, kCommandBufferCompatible);
  }
}

TEST(Handler, RefusesOtherCalls) {
  Call call;
  EXPECT_EQ(Said(gridwise_jax_execute(&call.MakeFrame(3))),
            "3 gridwise: a convolution has 2 arguments and 1 or 2 results, not 2 and 3");
  call.name = "plane";
  EXPECT_EQ(Said(gridwise_jax_execute(&call.MakeFrame())),
            "3 gridwise: a convolution has the attribute plan, a text");
  call.name = "plan";
  call.kind = kText - 1;
  EXPECT_THAT(Said(gridwise_jax_execute(&call.MakeFrame())), HasSubstr("the attribute plan"));
  EXPECT_THAT(call.Result(), testing::Each(-1.0f));
}

TEST(Handler, PassesErrorsOn) {
  Call call;
  call.api.stream = NoStream;
  EXPECT_EQ(Said(gridwise_jax_execute(&call.MakeFrame())), "12 XLA has no stream");
  call.SetLine("no plan");
  for (const auto handler : {gridwise_jax_initialize, gridwise_jax_execute})
    EXPECT_THAT(Said(handler(&call.MakeFrame())), testing::StartsWith("3 gridwise: "));
}

}  // namespace
}  // namespace gridwise::jax_ffi
