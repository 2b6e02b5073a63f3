// Runs MathJax by Duktape, in memory that is counted.

#include "app/resources/mathjax.h"

#include <duktape.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "core/words.h"

namespace ropescope {

namespace {

/// Memory for a script, counted: bytes in all, and pieces taken since the last formula began. Who asks for more than
/// its bounds does not return: the script is left where it is, and all that it holds goes with this.
class MathJaxMemory {
 public:
  MathJaxMemory() = default;
  MathJaxMemory(const MathJaxMemory&) = delete;
  MathJaxMemory& operator=(const MathJaxMemory&) = delete;
  ~MathJaxMemory() {
    while (first_) free_piece(first_);
  }

  /// Calls what uses this memory; false: it left by the bounds. Duktape's frames, which it leaves, hold nothing that
  /// would have to be destroyed, and `use` may not either.
  template <class Use>
  bool lend(const Use& use) {
    pieces_ = 0;
    if (setjmp(way_out_) != 0) return false;
    use();
    return true;
  }

  static void* take(void* self, duk_size_t bytes) { return take_again(self, nullptr, bytes); }
  static void* take_again(void* self, void* memory, duk_size_t bytes) {
    auto& all = *static_cast<MathJaxMemory*>(self);
    Piece* before = memory ? static_cast<Piece*>(memory) - 1 : nullptr;
    if (bytes > 0) return all.resized(before, bytes);
    if (before) all.free_piece(before);
    return nullptr;
  }
  static void give(void* self, void* memory) { take_again(self, memory, 0); }

 private:
  struct alignas(std::max_align_t) Piece {
    Piece *before = nullptr, *after = nullptr;
    std::size_t bytes = 0;
  };

  void* resized(Piece* piece, std::size_t bytes) {
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
  duk_context* context = nullptr;  // what it holds is freed with the memory
  bool failed = false, spent = false;

  std::string popped() {
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
  const bool whole = s.memory.lend([&s, &source] {
    s.context =
        duk_create_heap(MathJaxMemory::take, MathJaxMemory::take_again, MathJaxMemory::give, &s.memory, nullptr);
    s.failed = !s.context || duk_peval_lstring(s.context, source.data(), source.size()) != 0;
    if (s.context) duk_safe_to_string(s.context, -1);
  });
  if (!whole || !s.context) throw std::bad_alloc();
  const std::string said = s.popped();
  if (s.failed) throw InputError(script.string() + ": " + said);
}

MathJax::~MathJax() = default;

std::string MathJax::typeset(std::string_view tex) {
  State& s = *state_;
  s.spent = !s.memory.lend([&s, tex] {
    duk_get_global_string(s.context, "typeset");
    duk_push_lstring(s.context, tex.data(), tex.size());
    s.failed = duk_pcall(s.context, 1) != DUK_EXEC_SUCCESS;
    duk_safe_to_string(s.context, -1);
  });
  if (s.spent) throw InputError("formulas.costly", {});
  const std::string said = s.popped();
  if (s.failed) throw InputError(said.starts_with("Error: ") ? said.substr(7) : said);
  return said;
}

bool MathJax::spent() const {
  return state_->spent;
}

}  // namespace ropescope
