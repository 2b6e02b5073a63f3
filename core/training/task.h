#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// What is learned. Made tasks are drawn anew for every batch, with answers at some tokens only; the loss that a model
/// cannot get below is known (`floor`), and so is that of one that knows only how often each answer comes (`unigram`).
enum class TaskKind {
  text,     ///< bytes of a text: the next one, or masked ones
  copy,     ///< the token `number` places before, of 16 that are drawn independently
  nearest,  ///< every token is one of 8 keys with one of 8 values: the value that this key had last
  count,    ///< of zeros and ones: how many ones so far, modulo `number`
  phrase,   ///< a phrase of 16 tokens comes twice amid noise, behind a mark: its second time. Training has it begin in
            ///< the first half of where it could, the test in the second
  sorted    ///< runs of 8 of 16 tokens, then the same ones sorted
};

enum class Split { train, test };

struct Task {
  std::string name;  ///< "copy:64", or the text's
  TaskKind kind = TaskKind::text;
  int number = 0;
  int vocabulary = 256;
  bool masked = false;          ///< text: 15 % of the bytes are to be found (BERT: of those 80 % are shown as a mask,
                                ///< 10 % as another byte, 10 % as they are), else the next byte is
  std::optional<double> floor;  ///< nats; none where nobody knows
  double unigram = 0;           ///< nats: cross entropy of the test's answers with how often each came in training
  std::string train, test;      ///< of a text: nine tenths and the last tenth

  bool causal() const { return !masked; }
};

/// Names of the made tasks as --task takes them: "copy:64", "nearest", "count:4", "phrase", "sorted".
bool is_made_task(std::string_view name);
/// Throws InputError where the number is missing or out of its range, or where a sequence of `length` has no room.
Task make_task(std::string_view name, int length);
/// Throws InputError where the text is too short for sequences of `length`: the test wants a whole one.
Task text_task(const std::string& name, std::string_view bytes, int length, bool masked);

/// Draws [sequences × length] tokens and targets (−1: none) of one step: the same for the same seed and step.
void draw_batch(const Task& task, Split split, std::uint64_t seed, std::uint64_t step, int length,
                std::span<std::int32_t> tokens, std::span<std::int32_t> targets);

}  // namespace ropescope
