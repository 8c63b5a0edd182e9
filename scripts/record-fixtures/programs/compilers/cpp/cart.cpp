#include <string>
#include <vector>

template <typename T>
int total(const std::vector<T> &lines) {
  int sum = 0;
  for (const T &line : lines) sum += line;
  return sum;
}

int main() {
  std::vector<std::string> lines{"1"};
  return total(lines);
}
