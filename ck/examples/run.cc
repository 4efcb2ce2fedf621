#include "ck/examples/run.h"

#include <cstdlib>

namespace gridwise::examples {

Words::Words(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (word.starts_with("--") && equals != std::string::npos) {
      flags_.emplace_back(word.substr(2, equals - 2), word.substr(equals + 1));
    } else {
      numbers_.push_back(std::strtoll(word.c_str(), nullptr, 10));
    }
  }
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

Settings::Settings(const Words& words)
    : verify(words.Number(0, 1) != 0), init(words.Number(1, 1)), time(words.Number(2, 0) != 0) {}

std::vector<float> MakeTensor(DataType type, std::int64_t elements, std::int64_t init,
                              unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> integer(-5, 5);
  std::uniform_real_distribution<float> real(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(elements), 0);
  if (init == 0) return values;
  for (float& value : values) {
    value = RoundTo(type, init == 1 ? static_cast<float>(integer(random)) : real(random));
  }
  return values;
}

absl::StatusOr<double> Time(const Executable& executable, const Tensors& tensors,
                            const DeviceBuffer& workspace) {
  constexpr int kWarmUp = 2, kLaunches = 5;
  const absl::StatusOr<Stream> stream = Stream::Create();
  if (!stream.ok()) return stream.status();
  absl::StatusOr<Event> begin = Event::Create(), end = Event::Create();
  if (!begin.ok()) return begin.status();
  if (!end.ok()) return end.status();
  for (int launch = 0; launch < kWarmUp + kLaunches; ++launch) {
    if (launch == kWarmUp) {
      if (absl::Status status = begin->Record(*stream); !status.ok()) return status;
    }
    absl::Status status =
        executable.Launch(tensors, workspace.data(), workspace.bytes(), stream->get());
    if (!status.ok()) return status;
  }
  if (absl::Status status = end->Record(*stream); !status.ok()) return status;
  if (absl::Status status = end->Synchronize(); !status.ok()) return status;
  const absl::StatusOr<float> milliseconds = end->MillisecondsSince(*begin);
  if (!milliseconds.ok()) return milliseconds.status();
  return 1e3 * static_cast<double>(*milliseconds) / kLaunches;
}

int Finish(const absl::Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace gridwise::examples
