// Times GUDHI's exact sliced Wasserstein distance, which its Python package does not
// offer. Usage: gudhi_exact FILE FILE REPETITIONS, where files hold "birth death" lines.
#include <gudhi/Sliced_Wasserstein.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <utility>
#include <vector>

using Diagram = std::vector<std::pair<double, double>>;

Diagram read(const char* path) {
  Diagram diagram;
  std::ifstream file(path);
  for (double birth, death; file >> birth >> death;) diagram.emplace_back(birth, death);
  return diagram;
}

int main(int, char** arguments) {
  using Gudhi::Persistence_representations::Sliced_Wasserstein;
  // The kernel is exp(-SW / (2 sigma^2)); a negative number of directions asks for SW.
  const double sigma = 1.0;
  Sliced_Wasserstein first(read(arguments[1]), sigma, -1);
  Sliced_Wasserstein second(read(arguments[2]), sigma, -1);
  double best = std::numeric_limits<double>::infinity(), value = 0;
  for (int k = std::atoi(arguments[3]); k > 0; --k) {
    auto start = std::chrono::steady_clock::now();
    value = -2 * sigma * sigma * std::log(first.compute_scalar_product(second));
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  std::cout.precision(17);
  std::cout << value << " " << best << "\n";
}
