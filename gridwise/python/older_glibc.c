// SPDX-License-Identifier: MIT
/* Functions by which headers of glibc 2.38 and later replace older ones, for C23's 0b101 and %b:
   here they are the older ones, which systems of the wheel's tag have. No header of stdlib is
   included, since it would replace the names. */
#include <stdarg.h>

long strtol(const char* text, char** end, int base);
unsigned long strtoul(const char* text, char** end, int base);
int vsscanf(const char* text, const char* format, va_list values);

long __isoc23_strtol(const char* text, char** end, int base) { return strtol(text, end, base); }

unsigned long __isoc23_strtoul(const char* text, char** end, int base) {
  return strtoul(text, end, base);
}

int __isoc23_sscanf(const char* text, const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int read = vsscanf(text, format, values);
  va_end(values);
  return read;
}
