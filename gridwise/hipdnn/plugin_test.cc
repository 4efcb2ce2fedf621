// SPDX-License-Identifier: MIT
/// Loads the plugin as hipDNN's backend does, calls its functions in hipDNN's order on serialised
/// graphs, and compares what the kernels compute on the simulator with the CPU reference.

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/types.h"
#include "core/conv/problem.h"
#include "core/reference/compare.h"
#include "core/reference/elements.h"
#include "core/reference/expected.h"
#include "gmock/gmock.h"
#include "gridwise/hipdnn/graph_writer.h"
#include "gridwise/hipdnn/plugin_api.h"
#include "gtest/gtest.h"

namespace gridwise::hipdnn {
namespace {

using ::testing::HasSubstr;

constexpr char kLibrary[] = "gridwise/hipdnn/libplugin_for_test.so";
/// The 64-bit FNV-1a hash of "GRIDWISE_ENGINE", computed elsewhere.
constexpr std::int64_t kEngine = -4290144049231500040;

/// The plugin, opened as hipDNN opens it.
void* Library() {
  static void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  return library;
}

/// A function of the plugin, or of the HIP library in it.
template <class Function>
Function* Find(const char* name, Function* /*declared*/) {
  void* const found = Library() == nullptr ? nullptr : dlsym(Library(), name);
  if (found == nullptr) ADD_FAILURE() << "the plugin has no " << name << ": " << dlerror();
  return reinterpret_cast<Function*>(found);
}
#define PLUGIN(name) Find(#name, &(name))

std::string LastError() {
  const char* error = nullptr;
  PLUGIN(hipdnnPluginGetLastErrorString)(&error);
  return error == nullptr ? "" : error;
}

hipdnnPluginConstData_t Data(const std::vector<std::byte>& bytes) {
  return {.ptr = bytes.data(), .size = bytes.size()};
}

/// Memory of the simulator that is in the plugin.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) {
    if (bytes == 0) return;
    EXPECT_EQ(
        Find("hipMalloc", static_cast<hipError_t (*)(void**, std::size_t)>(nullptr))(&data_, bytes),
        hipSuccess);
  }
  explicit DeviceBytes(const std::vector<std::byte>& host) : DeviceBytes(host.size()) {
    Copy(data_, host.data(), host.size(), hipMemcpyHostToDevice);
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() {
    EXPECT_EQ(Find("hipFree", static_cast<hipError_t (*)(void*)>(nullptr))(data_), hipSuccess);
  }

  void* data() const { return data_; }
  std::vector<std::byte> ToHost(std::size_t bytes) const {
    std::vector<std::byte> host(bytes);
    Copy(host.data(), data_, bytes, hipMemcpyDeviceToHost);
    return host;
  }

 private:
  static void Copy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
    if (bytes == 0) return;
    using Memcpy = hipError_t (*)(void*, const void*, std::size_t, hipMemcpyKind);
    EXPECT_EQ(Find("hipMemcpy", static_cast<Memcpy>(nullptr))(to, from, bytes, kind), hipSuccess);
  }
  void* data_ = nullptr;
};

// hipDNN's numbers.
constexpr int kAddMode = 2, kMulMode = 30, kReluMode = 34, kSwishMode = 44;
int GraphTypeOf(DataType type) {
  return type == DataType::kF32 ? 1 : type == DataType::kBF16 ? 3 : type == DataType::kF16 ? 2 : 6;
}

std::vector<std::int64_t> Spatial(const ConvProblem& problem,
                                  const std::function<std::int64_t(const Dim&)>& of) {
  std::vector<std::int64_t> all;
  for (int axis = 3 - problem.rank; axis < 3; ++axis) {
    all.push_back(of(problem.dims[static_cast<std::size_t>(axis)]));
  }
  return all;
}

/// The strides of a packed tensor with its second axis innermost, or with its axes in order.
std::vector<std::int64_t> Packed(const std::vector<std::int64_t>& dims, bool is_channels_last) {
  std::vector<std::int64_t> strides(dims.size());
  std::int64_t stride = 1;
  if (is_channels_last) {
    strides[1] = 1;
    stride = dims[1];
  }
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (is_channels_last && i == 1) continue;
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

/// A convolution, as a problem and as a graph: uids 1 is a, 2 is b, 3 is the output, 4 is d0, 5 is
/// d1.
struct Case {
  std::string name;
  ConvProblem problem;
  bool is_channels_last = true;  ///< else x and y are NCHW, and w is KCYX
  std::vector<WrittenPointwise> nodes = {};
};

/// The sizes of x, w or y.
std::vector<std::int64_t> DimsOf(const ConvProblem& problem, Tensor tensor) {
  const auto sizes = [&](std::int64_t first, std::int64_t second, const auto& of) {
    std::vector<std::int64_t> dims = {first, second};
    const std::vector<std::int64_t> spatial = Spatial(problem, of);
    dims.insert(dims.end(), spatial.begin(), spatial.end());
    return dims;
  };
  if (tensor == Tensor::kX)
    return sizes(problem.batch, problem.c, [](const Dim& dim) { return dim.in; });
  if (tensor == Tensor::kW)
    return sizes(problem.k, problem.c_per_group(), [](const Dim& dim) { return dim.filter; });
  return sizes(problem.batch, problem.k, [](const Dim& dim) { return dim.out(); });
}

WrittenGraph WriteGraph(const Case& one) {
  const ConvProblem& problem = one.problem;
  const auto tensor = [&](std::int64_t uid, Tensor of, DataType type) {
    const std::vector<std::int64_t> dims = DimsOf(problem, of);
    return WrittenTensor{.uid = uid,
                         .type = GraphTypeOf(type),
                         .dims = dims,
                         .strides = Packed(dims, one.is_channels_last)};
  };
  WrittenGraph graph;
  graph.tensors = {tensor(1, problem.a(), problem.type), tensor(2, problem.b(), problem.type),
                   tensor(3, problem.out(), problem.output_type())};
  const bool is_weight = problem.direction == Direction::kBackwardWeight;
  const std::int64_t last = one.nodes.empty() ? 3 : 30;
  graph.convolutions = {
      {.kind = problem.direction == Direction::kForward ? 5
               : is_weight                              ? 7
                                                        : 6,
       .a = is_weight ? 2 : 1,  // hipDNN takes x before dy
       .b = is_weight ? 1 : 2,
       .out = last,
       .pre_padding = Spatial(problem, [](const Dim& dim) { return dim.pad_begin; }),
       .post_padding = Spatial(problem, [](const Dim& dim) { return dim.pad_end; }),
       .stride = Spatial(problem, [](const Dim& dim) { return dim.stride; }),
       .dilation = Spatial(problem, [](const Dim& dim) { return dim.dilation; })}};
  graph.pointwise = one.nodes;
  for (std::size_t i = 0; i < one.nodes.size(); ++i) {
    const auto value = static_cast<std::int64_t>(30 + i);
    WrittenTensor between = graph.tensors[2];
    between.uid = value;
    between.type = 1;  // FLOAT
    between.is_virtual = true;
    graph.tensors.push_back(between);
    graph.pointwise[i].in_0 = value;
    graph.pointwise[i].out = i + 1 == one.nodes.size() ? 3 : value + 1;
  }
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    const EpilogueTensor& d = problem.epilogue.d[static_cast<std::size_t>(i)];
    WrittenTensor written = graph.tensors[2];
    written.uid = 4 + i;
    written.type = GraphTypeOf(d.type);
    if (d.stride[0] == 0) {  // a bias
      std::fill(written.dims.begin(), written.dims.end(), 1);
      written.dims[1] = graph.tensors[2].dims[1];
      written.strides = Packed(written.dims, false);
    }
    graph.tensors.push_back(written);
  }
  return graph;
}

/// [k][taps][c/g] in the order [k][c/g][taps], or back.
std::vector<float> Transposed(const ConvProblem& problem, const std::vector<float>& w, bool back) {
  const auto k = static_cast<std::size_t>(problem.k);
  auto rows = static_cast<std::size_t>(problem.filter_taps()),
       columns = static_cast<std::size_t>(problem.c_per_group());
  if (back) std::swap(rows, columns);
  std::vector<float> result(w.size());
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        result[(i * columns + column) * rows + row] = w[(i * rows + row) * columns + column];
      }
    }
  }
  return result;
}

class PluginTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(Library(), nullptr) << dlerror();
    ASSERT_EQ(PLUGIN(hipdnnEnginePluginCreate)(&handle_), HIPDNN_PLUGIN_STATUS_SUCCESS);
    ASSERT_NE(handle_, nullptr);
    ASSERT_EQ(PLUGIN(hipdnnEnginePluginSetStream)(handle_, nullptr), HIPDNN_PLUGIN_STATUS_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(PLUGIN(hipdnnEnginePluginDestroy)(handle_), HIPDNN_PLUGIN_STATUS_SUCCESS);
  }

  /// How many engines compute the graph.
  std::uint32_t Applicable(const std::vector<std::byte>& graph) {
    const hipdnnPluginConstData_t data = Data(graph);
    std::uint32_t count = 77;
    EXPECT_EQ(PLUGIN(hipdnnEnginePluginGetApplicableEngineIds)(handle_, &data, nullptr, 0, &count),
              HIPDNN_PLUGIN_STATUS_SUCCESS);
    return count;
  }

  std::vector<float> RandomValues(std::int64_t elements, DataType type) {
    std::uniform_real_distribution<float> values(-OperandRange(type), OperandRange(type));
    std::vector<float> all(static_cast<std::size_t>(elements));
    for (float& value : all) value = RoundTo(type, values(random_));
    return all;
  }

  /// Runs a case from applicability to its result, and compares.
  void Run(const Case& one, const std::vector<std::byte>& config = WriteConfig(kEngine));

  hipdnnEnginePluginHandle_t handle_ = nullptr;
  std::mt19937 random_;
};

void PluginTest::Run(const Case& one, const std::vector<std::byte>& config) {
  const ConvProblem& problem = one.problem;
  const std::vector<std::byte> graph = Write(WriteGraph(one));
  ASSERT_EQ(Applicable(graph), 1u) << LastError();
  const hipdnnPluginConstData_t graph_data = Data(graph), config_data = Data(config);
  std::size_t bytes = 0, bytes_of_context = 1;
  ASSERT_EQ(PLUGIN(hipdnnEnginePluginGetWorkspaceSize)(handle_, &config_data, &graph_data, &bytes),
            HIPDNN_PLUGIN_STATUS_SUCCESS)
      << LastError();
  hipdnnEnginePluginExecutionContext_t context = nullptr;
  ASSERT_EQ(PLUGIN(hipdnnEnginePluginCreateExecutionContext)(handle_, &config_data, &graph_data,
                                                             &context),
            HIPDNN_PLUGIN_STATUS_SUCCESS)
      << LastError();
  ASSERT_EQ(PLUGIN(hipdnnEnginePluginGetWorkspaceSizeFromExecutionContext)(handle_, context,
                                                                           &bytes_of_context),
            HIPDNN_PLUGIN_STATUS_SUCCESS);
  EXPECT_EQ(bytes, bytes_of_context);

  const std::vector<float> a = RandomValues(problem.a_elements(), problem.type);
  const std::vector<float> b = RandomValues(problem.b_elements(), problem.type);
  const bool transposes_b = !one.is_channels_last && problem.b() == Tensor::kW;
  std::array<std::vector<float>, 2> d;
  for (int i = 0; i < problem.epilogue.tensors; ++i) {
    const auto at = static_cast<std::size_t>(i);
    d[at] = RandomValues(EpilogueElements(problem, i), problem.epilogue.d[at].type);
  }
  const DataType out_type = problem.output_type();
  const auto out_bytes = static_cast<std::size_t>(problem.out_elements() * SizeOf(out_type));
  const DeviceBytes device_a(Encode(problem.type, a)),
      device_b(Encode(problem.type, transposes_b ? Transposed(problem, b, false) : b)),
      out(std::vector<std::byte>(out_bytes, std::byte{PoisonByte(out_type)})),
      d0(Encode(problem.epilogue.d[0].type, d[0])), d1(Encode(problem.epilogue.d[1].type, d[1])),
      workspace(bytes);
  const std::vector<hipdnnPluginDeviceBuffer_t> buffers = {
      {3, out.data()}, {1, device_a.data()}, {5, d1.data()}, {2, device_b.data()}, {4, d0.data()}};
  ASSERT_EQ(PLUGIN(hipdnnEnginePluginExecuteOpGraph)(handle_, context, workspace.data(),
                                                     buffers.data(), 5),
            HIPDNN_PLUGIN_STATUS_SUCCESS)
      << LastError();
  ASSERT_EQ(PLUGIN(hipdnnEnginePluginDestroyExecutionContext)(handle_, context),
            HIPDNN_PLUGIN_STATUS_SUCCESS);

  const absl::StatusOr<Expected> expected = ExpectedOutput(problem, a, b, {d[0], d[1]});
  ASSERT_TRUE(expected.ok()) << expected.status();
  std::vector<float> got = Decode(out_type, out.ToHost(out_bytes));
  if (!one.is_channels_last && problem.out() == Tensor::kW) got = Transposed(problem, got, true);
  const std::vector<double> numbers(got.begin(), got.end());
  const absl::Status status =
      CheckError(out_type, numbers, expected->out, problem.reduction_length(), expected->sum_rms);
  EXPECT_TRUE(status.ok()) << one.name << ": " << status;
}

Dim Axis(std::int64_t in, std::int64_t filter, std::int64_t stride = 1) {
  return {.in = in, .filter = filter, .stride = stride, .pad_begin = 1, .pad_end = 1};
}

ConvProblem Small(Direction direction, DataType type = DataType::kF16) {
  return {.direction = direction,
          .type = type,
          .groups = 2,
          .batch = 2,
          .c = 32,
          .k = 48,
          .dims = {Dim{}, Axis(9, 3, 2), Axis(7, 3)}};
}

constexpr Direction kDirections[] = {Direction::kForward, Direction::kBackwardData,
                                     Direction::kBackwardWeight};

TEST_F(PluginTest, SaysWhatItIs) {
  const char *name = nullptr, *version = nullptr, *api = nullptr, *engine = nullptr;
  auto type = static_cast<hipdnnPluginType_t>(0);
  EXPECT_EQ(PLUGIN(hipdnnPluginGetName)(&name), HIPDNN_PLUGIN_STATUS_SUCCESS);
  EXPECT_EQ(PLUGIN(hipdnnPluginGetVersion)(&version), HIPDNN_PLUGIN_STATUS_SUCCESS);
  EXPECT_EQ(PLUGIN(hipdnnPluginGetApiVersion)(&api), HIPDNN_PLUGIN_STATUS_SUCCESS);
  EXPECT_EQ(PLUGIN(hipdnnPluginGetType)(&type), HIPDNN_PLUGIN_STATUS_SUCCESS);
  EXPECT_STREQ(name, "gridwise");
  EXPECT_THAT(version, testing::ContainsRegex("^[0-9]+\\.[0-9]+\\.[0-9]+$"));
  EXPECT_STREQ(api, "1.0.0");
  EXPECT_EQ(int(type), 1);
  std::uint32_t count = 0;
  std::int64_t id = 0;
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginGetAllEngineIds)(nullptr, 0, &count),
            HIPDNN_PLUGIN_STATUS_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginGetAllEngineIds)(&id, 1, &count),
            HIPDNN_PLUGIN_STATUS_SUCCESS);
  EXPECT_EQ(id, kEngine);
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginGetEngineName)(id, &engine), HIPDNN_PLUGIN_STATUS_SUCCESS);
  EXPECT_STREQ(engine, "GRIDWISE_ENGINE");
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginGetEngineName)(1, &engine), HIPDNN_PLUGIN_STATUS_BAD_PARAM);
}

TEST_F(PluginTest, ComputesEachDirection) {
  for (const Direction direction : kDirections) {
    for (const DataType type : {DataType::kF16, DataType::kBF16, DataType::kF32}) {
      Run({.name = "channels last", .problem = Small(direction, type)});
    }
    ConvProblem in_order = Small(direction);
    in_order.layout = Layout::kNGCHW;
    Run({.name = "NCHW", .problem = in_order, .is_channels_last = false});
  }
}

TEST_F(PluginTest, ComputesEachRank) {
  ConvProblem line = Small(Direction::kForward), volume = Small(Direction::kBackwardData);
  line.rank = 1;
  line.dims = {Dim{}, Dim{}, Axis(20, 5, 2)};
  volume.rank = 3;
  volume.dims = {Axis(3, 3), Axis(5, 2), Axis(4, 3, 2)};
  Run({.name = "1-D", .problem = line});
  Run({.name = "3-D", .problem = volume});
}

TEST_F(PluginTest, WritesSumsOfHalvesAsFloats) {
  ConvProblem problem = Small(Direction::kBackwardWeight);
  problem.out_type = DataType::kF32;
  Run({.name = "f32 dw", .problem = problem});
  problem.layout = Layout::kNGCHW;
  Run({.name = "f32 dw in order", .problem = problem, .is_channels_last = false});
}

TEST_F(PluginTest, FusesBiasAndRelu) {
  ConvProblem problem = Small(Direction::kForward);
  problem.epilogue = {.tensors = 1, .d = {EpilogueTensor{.stride = {0, 0, 0, 0, 24, 1}}}, .low = 0};
  Run({.name = "bias, ReLU",
       .problem = problem,
       .nodes = {{.mode = kAddMode, .in_1 = 4}, {.mode = kReluMode}}});
}

TEST_F(PluginTest, FusesScaleResidualAndSwish) {
  ConvProblem problem = Small(Direction::kForward);
  const PerAxis like_y = problem.AxesOf(Tensor::kY).stride;
  problem.epilogue = {.tensors = 2,
                      .d = {EpilogueTensor{.op = EpilogueTensor::Op::kMultiply,
                                           .type = DataType::kF32,
                                           .stride = {0, 0, 0, 0, 24, 1}},
                            EpilogueTensor{.stride = like_y}},
                      .unary = Unary::kSwish};
  Run({.name = "scale, residual, swish",
       .problem = problem,
       .nodes = {
           {.mode = kMulMode, .in_1 = 4}, {.mode = kAddMode, .in_1 = 5}, {.mode = kSwishMode}}});
}

TEST_F(PluginTest, AddsAGradientToDx) {
  ConvProblem problem = Small(Direction::kBackwardData);
  problem.epilogue = {.tensors = 1,
                      .d = {EpilogueTensor{.stride = problem.AxesOf(Tensor::kX).stride}}};
  Run({.name = "dx + d", .problem = problem, .nodes = {{.mode = kAddMode, .in_1 = 4}}});
}

TEST_F(PluginTest, TakesKnobs) {
  const Case one = {.name = "knobs", .problem = Small(Direction::kBackwardWeight)};
  Run(one, WriteConfig(kEngine, {{"gridwise.splits", 3}, {"global.deterministic", 1}}));
  Run(one, WriteConfig(kEngine, {{"gridwise.splits", 3}, {"global.deterministic", 0}}));
  Run(one, WriteConfig(kEngine, {{"global.benchmarking", 1}, {"another.knob", 5}}));
  const std::vector<std::byte> graph = Write(WriteGraph(one));
  const hipdnnPluginConstData_t data = Data(graph);
  const auto refusal = [&](const std::vector<std::byte>& config) {
    const hipdnnPluginConstData_t config_data = Data(config);
    std::size_t bytes = 0;
    EXPECT_NE(PLUGIN(hipdnnEnginePluginGetWorkspaceSize)(handle_, &config_data, &data, &bytes),
              HIPDNN_PLUGIN_STATUS_SUCCESS);
    return LastError();
  };
  EXPECT_THAT(refusal(WriteConfig(1)), HasSubstr("the engine is 1; must be"));
  EXPECT_THAT(refusal(WriteConfig(kEngine, {{"gridwise.splits", -1}})),
              HasSubstr("gridwise.splits is -1; must be a whole number from 0 to"));
  EXPECT_THAT(refusal(WriteConfig(kEngine, {{"gridwise.speed", 1}})),
              HasSubstr("gridwise.speed does not exist"));
  EXPECT_THAT(refusal(WriteConfig(kEngine, {{"gridwise.instance", 1}})), HasSubstr("must be text"));
  EXPECT_THAT(refusal(WriteConfig(kEngine, {}, {{"gridwise.instance", "best"}})),
              HasSubstr("best"));
  EXPECT_THAT(refusal(std::vector<std::byte>(40)), HasSubstr("no serialised engine configuration"));
}

// The details' texts are there to read; which fields they are in is what hipDNN's headers say.
TEST_F(PluginTest, ListsItsKnobsAndInstances) {
  const Case one = {.name = "details", .problem = Small(Direction::kForward)};
  const std::vector<std::byte> graph = Write(WriteGraph(one));
  const hipdnnPluginConstData_t data = Data(graph);
  hipdnnPluginConstData_t details = {};
  ASSERT_EQ(PLUGIN(hipdnnEnginePluginGetEngineDetails)(handle_, kEngine, &data, &details),
            HIPDNN_PLUGIN_STATUS_SUCCESS)
      << LastError();
  const auto* const root =
      flatbuffers::GetRoot<flatbuffers::Table>(static_cast<const std::uint8_t*>(details.ptr));
  using Tables = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;
  using Texts = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;
  EXPECT_EQ(root->GetField<std::int64_t>(4, 0), kEngine);  // VT_ENGINE_ID
  EXPECT_EQ(root->GetPointer<const flatbuffers::String*>(10)->str(), "GRIDWISE_ENGINE");
  const auto* const knobs = root->GetPointer<const Tables*>(6);  // VT_KNOBS
  ASSERT_NE(knobs, nullptr);
  std::vector<std::string> names, instances;
  for (const flatbuffers::Table* const knob : *knobs) {
    names.push_back(knob->GetPointer<const flatbuffers::String*>(4)->str());  // VT_KNOB_ID
    const int kind = knob->GetField<std::uint8_t>(8, 0);                      // of the default
    EXPECT_EQ(kind, knob->GetField<std::uint8_t>(12, 0)) << "kind of the bounds";
    EXPECT_NE(knob->GetPointer<const void*>(10), nullptr) << "VT_DEFAULT_VALUE is required";
    if (kind != 3) continue;
    for (const flatbuffers::String* const value :
         *knob->GetPointer<const flatbuffers::Table*>(14)->GetPointer<const Texts*>(6)) {
      instances.push_back(value->str());
    }
  }
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("global.deterministic", "global.workspace_size_limit",
                                            "gridwise.instance", "gridwise.splits"));
  ASSERT_GT(instances.size(), 2u);
  EXPECT_EQ(instances[0], "");
  Run(one, WriteConfig(kEngine, {}, {{"gridwise.instance", instances.back()}}));
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginDestroyEngineDetails)(handle_, &details),
            HIPDNN_PLUGIN_STATUS_SUCCESS);
  EXPECT_EQ(details.ptr, nullptr);
}

TEST_F(PluginTest, KeepsAWorkspaceLimit) {
  Case one = {.name = "limit", .problem = Small(Direction::kForward), .is_channels_last = false};
  one.problem.layout = Layout::kNGCHW;
  const std::vector<std::byte> graph = Write(WriteGraph(one));
  const hipdnnPluginConstData_t data = Data(graph);
  const std::vector<std::byte> config = WriteConfig(kEngine, {{"global.workspace_size_limit", 64}});
  const hipdnnPluginConstData_t config_data = Data(config);
  std::size_t bytes = 0;
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginGetWorkspaceSize)(handle_, &config_data, &data, &bytes),
            HIPDNN_PLUGIN_STATUS_NOT_APPLICABLE);
  EXPECT_THAT(LastError(), HasSubstr("a copy of w needs"));
  Run(one, WriteConfig(kEngine, {{"global.workspace_size_limit", 1 << 20}}));
}

std::string last_log;

TEST_F(PluginTest, RefusesOtherGraphs) {
  PLUGIN(hipdnnPluginSetLoggingCallback)
  ([](hipdnnSeverity_t, const char* message) { last_log = message; });
  WrittenGraph graph = WriteGraph({.name = "", .problem = Small(Direction::kForward)});
  graph.convolutions[0].mode = 1;
  EXPECT_EQ(Applicable(Write(graph)), 0u);
  EXPECT_THAT(LastError(), HasSubstr("must be CROSS_CORRELATION"));
  EXPECT_THAT(last_log, HasSubstr("GRIDWISE_ENGINE is not applicable: node 0"));
  EXPECT_EQ(Applicable(std::vector<std::byte>(100)), 0u);
  EXPECT_THAT(LastError(), HasSubstr("no serialised graph"));
  const std::vector<std::byte> bytes = Write(graph);
  const hipdnnPluginConstData_t data = Data(bytes);
  hipdnnPluginConstData_t details = {};
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginGetEngineDetails)(handle_, kEngine, &data, &details),
            HIPDNN_PLUGIN_STATUS_NOT_APPLICABLE);
  PLUGIN(hipdnnPluginSetLoggingCallback)(nullptr);
}

TEST_F(PluginTest, RefusesNullAndMissingBuffers) {
  EXPECT_EQ(PLUGIN(hipdnnPluginGetName)(nullptr), HIPDNN_PLUGIN_STATUS_BAD_PARAM);
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginCreate)(nullptr), HIPDNN_PLUGIN_STATUS_BAD_PARAM);
  EXPECT_EQ(LastError(), "handle is null; must not be");
  const std::vector<std::byte> graph =
      Write(WriteGraph({.name = "", .problem = Small(Direction::kForward)}));
  const std::vector<std::byte> config = WriteConfig(kEngine);
  const hipdnnPluginConstData_t graph_data = Data(graph), config_data = Data(config);
  std::uint32_t count = 0;
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginGetApplicableEngineIds)(handle_, nullptr, nullptr, 0, &count),
            HIPDNN_PLUGIN_STATUS_BAD_PARAM);
  hipdnnEnginePluginExecutionContext_t context = nullptr;
  ASSERT_EQ(PLUGIN(hipdnnEnginePluginCreateExecutionContext)(handle_, &config_data, &graph_data,
                                                             &context),
            HIPDNN_PLUGIN_STATUS_SUCCESS);
  const hipdnnPluginDeviceBuffer_t buffers[] = {{1, nullptr}};
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginExecuteOpGraph)(handle_, context, &count, buffers, 1),
            HIPDNN_PLUGIN_STATUS_INVALID_VALUE);
  EXPECT_EQ(LastError(), "tensor 1 has no device buffer, or a null one");
  EXPECT_EQ(PLUGIN(hipdnnEnginePluginDestroyExecutionContext)(handle_, context),
            HIPDNN_PLUGIN_STATUS_SUCCESS);
}

}  // namespace
}  // namespace gridwise::hipdnn
