#include "hopper/fit.h"

namespace gridwise::hopper {

Fit& MutableFit() {
  static Fit fit;
  return fit;
}
const Fit& TheFit() { return MutableFit(); }

}  // namespace gridwise::hopper
