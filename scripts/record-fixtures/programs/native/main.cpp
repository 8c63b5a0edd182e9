#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "cart.h"

#if defined(WITH_GLIBC)
#include <execinfo.h>
#include <unistd.h>
#elif defined(WITH_BOOST)
#include <boost/stacktrace.hpp>
#endif

using acme::Cart;
using acme::Line;

static void on_signal(int) {
#if defined(WITH_GLIBC)
  void *frames[32];
  backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
#elif defined(WITH_BOOST)
  fputs(boost::stacktrace::to_string(boost::stacktrace::stacktrace()).c_str(), stderr);
#endif
  _Exit(1);
}

__attribute__((noinline)) static int *stale() {
  int *price = new int(3);
  delete price;
  return price;
}

__attribute__((noinline)) static char overflow(const char *name) {
  char copy[8];
  strcpy(copy, name);
  return copy[0];
}

__attribute__((noinline)) static int depth(int n) { return n == 0 ? raise(SIGSEGV) : depth(n - 1) + 1; }

__attribute__((noinline)) static int branch(int *value) {
  int sum = *value;
  if (sum > 3) puts("more");
  return sum;
}

__attribute__((noinline)) static void leak() {
  char *copy = strdup("a name");
  int *price = new int(static_cast<int>(strlen(copy)));
  printf("%d\n", *price);
  copy = nullptr;
  price = nullptr;
}

int shared = 0;

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  signal(SIGUSR1, on_signal);
#if defined(WITH_GLIBC) || defined(WITH_BOOST)
  signal(SIGSEGV, on_signal);
  signal(SIGABRT, on_signal);
#endif
  Cart<Line> cart;
  std::string what = argv[1];
  if (what == "null") {
    cart.add({"tea", nullptr});
    return acme::checkout(cart, "a customer with a long name, so that the arguments do not fit", 3, false);
  }
  if (what == "trap") return acme::checkout(cart, "", 0, false);
  if (what == "freed") {
    cart.add({"tea", stale()});
    return acme::checkout(cart, "someone", 3, false);
  }
  if (what == "overflow") return overflow("a long name of a customer");
  if (what == "leak") {
    leak();
    return 0;
  }
  if (what == "undefined") {
    int discount = argc + 2147483646;
    int *none = nullptr;
    printf("%d\n", discount + 1);
    return argc > 5 ? *none : (1 << (argc + 30));
  }
  if (what == "race") {
    std::thread worker([] { shared++; });
    shared++;
    worker.join();
  }
  if (what == "uninitialised") {
    int *value = static_cast<int *>(malloc(sizeof(int)));
    return branch(value);
  }
  if (what == "thrown") throw std::runtime_error("no stock");
  if (what == "recursion") return depth(20);
  if (what == "abort") abort();
  return 0;
}
