#include "tools/gridwise/sim_report.h"

namespace gridwise {

std::optional<SimRun> LastSimRun() { return std::nullopt; }
std::optional<double> SimProgress() { return std::nullopt; }

}  // namespace gridwise
