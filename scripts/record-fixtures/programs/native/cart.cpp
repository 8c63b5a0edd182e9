#include "cart.h"

namespace acme {

static inline int discounted(int total, int discount) {
  if (discount == 0) __builtin_trap();
  return total / discount;
}

__attribute__((noinline)) int checkout(Cart<Line> &cart, const std::string &customer, int discount, bool dry_run) {
  if (dry_run && customer.empty()) return 0;
  return discounted(cart.total(), discount);
}

}  // namespace acme
