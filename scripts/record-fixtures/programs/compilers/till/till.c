#include "till.h"

int open_till(int key) {
  int code = "17";
  return undeclared + code;
}

int close_till(void) {
  int key;
}
