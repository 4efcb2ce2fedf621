#include "tools/sim/machine/fidelity.h"

#include <string>

#include "tools/sim/hip/sim_extension.h"
#include "tools/sim/isa/matrix_mode.h"

// Functions of sim_extension.h about the numerics of a process.

using namespace gridwise::sim;

extern "C" {

void gridwiseSimSetExactMatrices(int exact) {
  SetMatrixMode(exact != 0 ? MatrixMode::kExact : MatrixMode::kFast);
}

const char* gridwiseSimFidelity(void) {
  thread_local std::string text;
  text = FidelityRecord::Process().Json();
  return text.c_str();
}

}  // extern "C"
