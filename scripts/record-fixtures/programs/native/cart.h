#ifndef CART_H
#define CART_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace acme {

struct Line {
  std::string name;
  int *price;
};

template <typename T>
class Cart {
 public:
  void add(T line) { lines_.push_back(line); }

  int total() const {
    int sum = 0;
    each([&sum](const T &line) { sum += *line.price; });
    return sum;
  }

  void each(const std::function<void(const T &)> &visit) const {
    for (const T &line : lines_) visit(line);
  }

 private:
  std::vector<T> lines_;
};

int checkout(Cart<Line> &cart, const std::string &customer, int discount, bool dry_run);

}  // namespace acme

#endif
