// SPDX-License-Identifier: MIT
/* The library of wheel_test.py. */
#include <stdlib.h>

int gridwise_small(const char* text) { return atoi(text); }
