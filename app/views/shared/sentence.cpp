#include "app/views/shared/sentence.h"

#include <algorithm>

#include "core/decay/random.h"

namespace ropescope {

namespace {

constexpr std::string_view kSpace = " \t\n\r\v\f";
constexpr std::string_view kPunctuation = ".,;:!?\"'()[]";

/// FNV-1a, 64 bits (Fowler, Noll and Vo).
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

std::string plain_word(std::string_view word) {
  const std::size_t begin = word.find_first_not_of(kPunctuation);
  if (begin == std::string_view::npos) return std::string(word);
  std::string plain(word.substr(begin, word.find_last_not_of(kPunctuation) + 1 - begin));
  for (char& c : plain) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return plain;
}

}  // namespace

std::vector<std::string> words_of(std::string_view sentence) {
  std::vector<std::string> words;
  std::size_t end = 0;
  while (words.size() < kMostWords) {
    const std::size_t begin = sentence.find_first_not_of(kSpace, end);
    if (begin == std::string_view::npos) break;
    end = std::min(sentence.find_first_of(kSpace, begin), sentence.size());
    words.emplace_back(sentence.substr(begin, end - begin));
  }
  return words;
}

bool same_word(std::string_view one, std::string_view other) {
  return plain_word(one) == plain_word(other);
}

Eigen::VectorXd word_vector(std::string_view word, int dim, std::uint64_t seed) {
  SplitMix generator{hash_of(plain_word(word)) ^ SplitMix{seed}.next()};
  Eigen::VectorXd vector(dim);
  for (Eigen::Index i = 0; i < dim; i += 2) {
    const std::complex<double> normals = normal_pair(generator);
    vector[i] = normals.real();
    if (i + 1 < dim) vector[i + 1] = normals.imag();
  }
  return vector;
}

}  // namespace ropescope
