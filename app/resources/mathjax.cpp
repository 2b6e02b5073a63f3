// MathJax run by Duktape, with limited memory.

#include "app/resources/mathjax.h"

#include <duktape.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "core/message.h"

namespace ropescope {

namespace {

/// Memory for a script with limits on bytes in total and on allocations since the last formula began. An allocation
/// over a limit does not return: the script is abandoned, and all its memory is freed with this object.
class MathJaxMemory {
 public:
  MathJaxMemory() = default;
  MathJaxMemory(const MathJaxMemory&) = delete;
  MathJaxMemory& operator=(const MathJaxMemory&) = delete;
  ~MathJaxMemory() {
    while (first_) free_piece(first_);
  }

  /// Calls `use`, which allocates here; returns false if it exceeded a limit. Duktape's frames, which are then skipped,
  /// have no destructors to run, and `use` must not have any either.
  template <class Use>
  bool run_guarded(const Use& use) {
    pieces_ = 0;
    if (setjmp(way_out_) != 0) return false;
    use();
    return true;
  }

  static void* take(void* self, duk_size_t bytes) { return take_again(self, nullptr, bytes); }
  static void* take_again(void* self, void* memory, duk_size_t bytes) {
    auto& all = *static_cast<MathJaxMemory*>(self);
    Piece* before = memory ? static_cast<Piece*>(memory) - 1 : nullptr;
    if (bytes > 0) return all.resize_piece(before, bytes);
    if (before) all.free_piece(before);
    return nullptr;
  }
  static void give(void* self, void* memory) { take_again(self, memory, 0); }

 private:
  struct alignas(std::max_align_t) Piece {
    Piece *before = nullptr, *after = nullptr;
    std::size_t bytes = 0;
  };

  void* resize_piece(Piece* piece, std::size_t bytes) {
    const std::size_t had = piece ? piece->bytes : 0;
    if (bytes > kFormulaMemory || bytes_ - had > kFormulaMemory - bytes || ++pieces_ > kFormulaAllocations) {
      longjmp(way_out_, 1);
    }
    if (piece) unlink(piece);
    auto* made = static_cast<Piece*>(std::realloc(piece, sizeof(Piece) + bytes));
    if (made) {
      bytes_ += bytes - had;
      made->bytes = bytes;
    }
    if (Piece* kept = made ? made : piece) link(kept);
    return made ? made + 1 : nullptr;
  }
  void free_piece(Piece* piece) {
    unlink(piece);
    bytes_ -= piece->bytes;
    std::free(piece);
  }
  void link(Piece* piece) {
    piece->before = nullptr;
    piece->after = first_;
    if (first_) first_->before = piece;
    first_ = piece;
  }
  void unlink(Piece* piece) {
    (piece->before ? piece->before->after : first_) = piece->after;
    if (piece->after) piece->after->before = piece->before;
  }

  std::jmp_buf way_out_ = {};
  Piece* first_ = nullptr;
  std::size_t bytes_ = 0, pieces_ = 0;
};

constexpr std::uint64_t kLargestScriptBytes = std::uint64_t{16} << 20;

}  // namespace

struct MathJax::State {
  MathJaxMemory memory;
  duk_context* context = nullptr;  // its memory is freed with MathJaxMemory
  bool failed = false, spent = false;

  std::string pop_string() {
    duk_size_t bytes = 0;
    const char* text = duk_safe_to_lstring(context, -1, &bytes);
    std::string said(text, bytes);
    duk_pop(context);
    return said;
  }
};

MathJax::MathJax(const std::filesystem::path& script) : state_(std::make_unique<State>()) {
  State& s = *state_;
  const std::string source = read_file(script, kLargestScriptBytes);
  const bool whole = s.memory.run_guarded([&s, &source] {
    s.context =
        duk_create_heap(MathJaxMemory::take, MathJaxMemory::take_again, MathJaxMemory::give, &s.memory, nullptr);
    s.failed = !s.context || duk_peval_lstring(s.context, source.data(), source.size()) != 0;
    if (s.context) duk_safe_to_string(s.context, -1);
  });
  if (!whole || !s.context) throw std::bad_alloc();
  const std::string said = s.pop_string();
  if (s.failed) throw InputError(script.string() + ": " + said);
}

MathJax::~MathJax() = default;

std::string MathJax::typeset(std::string_view tex) {
  State& s = *state_;
  s.spent = !s.memory.run_guarded([&s, tex] {
    duk_get_global_string(s.context, "typeset");
    duk_push_lstring(s.context, tex.data(), tex.size());
    s.failed = duk_pcall(s.context, 1) != DUK_EXEC_SUCCESS;
    duk_safe_to_string(s.context, -1);
  });
  if (s.spent) throw InputError("formulas.costly", {});
  const std::string said = s.pop_string();
  if (s.failed) throw InputError(said.starts_with("Error: ") ? said.substr(7) : said);
  return said;
}

bool MathJax::spent() const {
  return state_->spent;
}

}  // namespace ropescope
