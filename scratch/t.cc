#include <cstdio>

#include "ck/runtime/device.h"
int main() {
  auto d = gridwise::FindDevice("gfx942");
  std::printf("%s\n", d.status().ToString().c_str());
  return d.ok() ? 0 : 3;
}
