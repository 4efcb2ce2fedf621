// SPDX-License-Identifier: MIT
#include "ck/examples/run.h"

#include <algorithm>
#include <optional>
#include <random>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/runtime/device.h"
#include "core/runtime/stream.h"
#include "tools/gridwise/run/sim_report.h"

namespace gridwise::examples {
namespace {

absl::StatusOr<std::int64_t> Setting(const Words& words, std::size_t index, const char* name,
                                     std::int64_t otherwise, std::int64_t most) {
  const std::int64_t value = words.Number(index, otherwise);
  if (value >= 0 && value <= most) return value;
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", value, "; must be 0 to ", most, ", as in VERIFY INIT TIME"));
}

}  // namespace

absl::StatusOr<Words> Words::Parse(int argc, char** argv,
                                   std::initializer_list<std::string_view> flags,
                                   std::size_t most) {
  Words words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.starts_with("--") ? word.substr(2, equals - 2) : "";
    std::int64_t number = 0;
    if (equals != word.npos && std::find(flags.begin(), flags.end(), name) != flags.end()) {
      words.flags_.emplace_back(name, word.substr(equals + 1));
    } else if (absl::SimpleAtoi(word, &number)) {
      words.numbers_.push_back(number);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", word, "' is no whole number, which VERIFY, INIT, TIME and sizes are, and none of --",
          absl::StrJoin(flags, "=, --"), "="));
    }
  }
  if (words.numbers_.size() <= most) return words;
  return absl::InvalidArgumentError(
      absl::StrCat("there are ", words.numbers_.size(), " numbers; at most ", most, " are taken"));
}

std::string Words::Flag(const std::string& name, const std::string& otherwise) const {
  std::string value = otherwise;  // the last one counts
  for (const auto& [flag, text] : flags_) {
    if (flag == name) value = text;
  }
  return value;
}

std::int64_t Words::Number(std::size_t index, std::int64_t otherwise) const {
  return index < numbers_.size() ? numbers_[index] : otherwise;
}

absl::StatusOr<Settings> Settings::Of(const Words& words) {
  const auto verify = Setting(words, 0, "VERIFY", 1, 1);
  const auto init = Setting(words, 1, "INIT", 1, 2);
  const auto time = Setting(words, 2, "TIME", 0, 1);
  for (const auto* setting : {&verify, &init, &time}) {
    if (!setting->ok()) return setting->status();
  }
  return Settings{.verify = *verify != 0, .init = *init, .time = *time != 0};
}

Operand MakeOperand(DataType type, std::int64_t elements, const Settings& settings, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> integer(-5, 5);
  std::uniform_real_distribution<float> real(-1, 1);
  Operand operand = {type, std::vector<float>(static_cast<std::size_t>(elements), 0)};
  if (settings.init == 0) return operand;
  for (float& value : operand.values) {
    value = RoundTo(type, settings.init == 1 ? static_cast<float>(integer(random)) : real(random));
  }
  return operand;
}

absl::StatusOr<Computation> Computation::Load(const InstancePlan& plan,
                                              const std::vector<Operand>& operands,
                                              DataType out_type, std::int64_t out_elements) {
  const absl::StatusOr<DeviceInfo> device = FindDevice(Name(plan.gfx()));
  if (!device.ok()) return device.status();
  if (absl::Status status = UseDevice(*device); !status.ok()) return status;
  absl::StatusOr<Executable> executable = Executable::Load(plan);
  if (!executable.ok()) return executable.status();
  Computation result(*std::move(executable));
  result.out_type_ = out_type;
  const auto take = [](DeviceBuffer& to, absl::StatusOr<DeviceBuffer> buffer) {
    if (!buffer.ok()) return buffer.status();
    to = *std::move(buffer);
    return absl::OkStatus();
  };
  absl::Status status;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    status.Update(take(result.operands_[i],
                       DeviceBuffer::CopyOf(Encode(operands[i].type, operands[i].values))));
  }
  status.Update(take(result.out_, DeviceBuffer::Allocate(out_elements * SizeOf(out_type))));
  status.Update(take(result.workspace_, DeviceBuffer::Allocate(plan.workspace_bytes())));
  if (!status.ok()) return status;
  return result;
}

absl::Status Computation::Launch(hipStream_t stream) const {
  return executable_.Launch({.a = operands_[0].data(),
                             .b = operands_[1].data(),
                             .out = out_.data(),
                             .d0 = operands_[2].data(),
                             .d1 = operands_[3].data()},
                            workspace_.data(), workspace_.bytes(), stream);
}

absl::StatusOr<std::vector<double>> Computation::Compute() {
  // What the kernel does not write is no number.
  absl::Status status = out_.Fill(PoisonByte(out_type_));
  if (status.ok()) status = Launch(/*stream=*/nullptr);
  if (status.ok()) status = SynchronizeDevice();
  std::vector<std::byte> bytes(static_cast<std::size_t>(out_.bytes()));
  if (status.ok()) status = out_.CopyToHost(bytes);
  if (!status.ok()) return status;
  return DecodeExactly(out_type_, bytes);
}

absl::StatusOr<LaunchTime> Computation::Time() const {
  const absl::StatusOr<Stream> stream = Stream::Create();
  if (!stream.ok()) return stream.status();
  if (StartSimTiming(SimTiming::kQuiet)) {
    TakeSimTimes();  // those that came before
    absl::Status status = Launch(stream->get());
    if (status.ok()) status = stream->Synchronize();
    if (!status.ok()) return status;
    const std::optional<SimTimes> times = TakeSimTimes();
    if (!times) return absl::InternalError("the simulator has timed no launch");
    return LaunchTime{.us = 1e3 * times->sustained_ms, .by = "the simulator's clock"};
  }
  constexpr int kWarmUp = 2, kLaunches = 5;
  absl::StatusOr<Event> begin = Event::Create(), end = Event::Create();
  absl::Status status = begin.ok() ? end.status() : begin.status();
  for (int i = 0; i < kWarmUp && status.ok(); ++i) status = Launch(stream->get());
  if (status.ok()) status = begin->Record(*stream);
  for (int i = 0; i < kLaunches && status.ok(); ++i) status = Launch(stream->get());
  if (status.ok()) status = end->Record(*stream);
  if (status.ok()) status = end->Synchronize();
  if (!status.ok()) return status;
  const absl::StatusOr<float> milliseconds = end->MillisecondsSince(*begin);
  if (!milliseconds.ok()) return milliseconds.status();
  return LaunchTime{.us = 1e3 * static_cast<double>(*milliseconds) / kLaunches,
                    .by = "the device's events"};
}

int Finish(const absl::Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace gridwise::examples
