// Token positions of image and video models: the interface of a layout, the registry, its settings, and the ids of its
// tokens. The layouts are implemented in images.cpp, videos.cpp, multimodal.cpp and vision.cpp.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/field.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Interface of a layout -----------------------------------------------------------------------------------------

/// The size of an image in pixels, or in tokens (then the model's own pixels per token do not matter).
struct ImageSize {
  int rows = 1, columns = 1;  ///< height and width in pixels, or rows and columns of tokens
  bool in_pixels = false;

  static ImageSize pixels(int width, int height) { return {height, width, true}; }
  static ImageSize tokens(int rows, int columns) { return {rows, columns, false}; }
  bool operator==(const ImageSize&) const = default;
};

/// An axis of the layout "custom". A known name selects a counter: t (frames; references 1, 2, …), row or y, column or
/// x, l (text tokens). An axis with another name stays at 0.
struct CustomAxis {
  std::string name;
  int rotary_dim = 0;          ///< even, 2…8192
  std::optional<double> base;  ///< nullopt: LayoutRequest::base, else 10000
  bool operator==(const CustomAxis&) const = default;
};

/// The input of a layout. Its declarations (Layout::settings) define which members it uses and their valid values.
/// Setting a member that the layout does not use is an error (a text count only if the layout has no text at all).
struct LayoutRequest {
  std::optional<ImageSize> image = {};  ///< required by every layout but "text"
  std::int64_t text = 0;                ///< text tokens; those before the image if text can also follow it
  std::int64_t text_after = 0;          ///< text tokens after the images (language models)
  std::vector<ImageSize> references = {};
  int frames = 1;  ///< frames of tokens (after the video's temporal compression)
  /// Frames per second: of the video, or, for language models, of the sampled frames. nullopt: Layout::frame_rate.
  std::optional<double> frame_rate = {};
  /// qwen2-vl: ids of t per second, as in Qwen2.5-VL; nullopt: frames are counted one by one.
  std::optional<double> tokens_per_second = {};
  bool unscaled = false;             ///< ltx-video: ids are plain counts (rope_interpolation_scale = None)
  std::optional<int> head_dim = {};  ///< channels distributed over the axes; a fixed layout accepts only its own number
  std::vector<int> axis_dims = {};   ///< channels of each axis in the layout's order, from a config; empty: the default
  std::optional<double> base = {};   ///< base of every axis
  std::optional<int> patch = {};     ///< pixels per token and side (vision models, raster, custom)
  std::vector<int> position_grid = {};  ///< cogview4: positions the grid is stretched to; empty: 256, 256
  std::vector<int> sections = {};       ///< M-RoPE: pairs of each axis; empty: the default
  bool language_ladder = false;  ///< lucidrains-axial: counts and b^(−2i/d) instead of coordinates and pixel ladder
  std::optional<double> max_frequency = {};  ///< lucidrains-axial: f of the pixel ladder; nullopt: 10
  std::vector<CustomAxis> axes = {};         ///< custom
  std::optional<Pairing> pairing = {};       ///< custom, text, raster, glm-4v, moonvit; nullopt: the layout's
  Eigen::MatrixXd mixed_frequencies = {};  ///< vit-mixed: [2 × pairs], radians per x and per y; empty: as initialised
  int head = 0;                            ///< index of the head, if each has its own frequencies
  int heads = 1;                           ///< vit-mixed: number of concatenated heads, from `head` on
  std::uint64_t seed = 0;                  ///< vit-mixed: seed of the initial frequencies
  std::string scaling{kNoMethod};          ///< method that extends the ladders of the axes (extension.h)
  std::map<std::string, double, std::less<>> numbers = {};  ///< values of fields without a member, by name
  bool fit = false;  ///< an image in pixels is resized as by the released pipeline (Layout::sizes)
};

struct Layout;

/// A field as declared by a layout; its initial value is that of the NumberField. A field that only one layout uses
/// needs no member: its value is stored by name (LayoutRequest::numbers).
struct LayoutField : NumberField {
  std::variant<std::monostate, bool LayoutRequest::*, int LayoutRequest::*, std::int64_t LayoutRequest::*,
               std::uint64_t LayoutRequest::*, std::optional<int> LayoutRequest::*,
               std::optional<double> LayoutRequest::*, std::optional<Pairing> LayoutRequest::*,
               std::vector<int> LayoutRequest::*, std::vector<CustomAxis> LayoutRequest::*,
               std::vector<ImageSize> LayoutRequest::*, std::optional<ImageSize> LayoutRequest::*,
               std::string LayoutRequest::*, Eigen::MatrixXd LayoutRequest::*>
      member = {};
  std::string_view of = {};  ///< parent field, under whose name it is documented
  unsigned traits = 0;       ///< any of the following
  /// Other fields of the layout: this one applies only while `with` is not 0 and `without` is 0; empty: always.
  std::string_view with = {}, without = {};
};
inline constexpr unsigned kNotForCounterpart =
    1;  ///< another layout for the same image keeps its own value (see counterpart_request)
inline constexpr unsigned kNoOption = 2;
inline constexpr unsigned kCheckedByLayout = 4;  ///< the layout checks the value in arrange()
inline constexpr unsigned kOfModel = 8;          ///< set by a model's config; 0 means the layout's own value
inline constexpr unsigned kNoControl = 16;       ///< follows from other fields: only a file or an option sets it
inline constexpr unsigned kSharedOption = 32;    ///< a rope or an encoding has an option of that name too
/// Returns the value of a number or switch; nullopt if it is not set.
std::optional<double> value_of(const LayoutRequest& request, const LayoutField& field);
/// Sets a number or switch. Precondition: the member can represent the value.
void set_value(LayoutRequest& request, const LayoutField& field, double value);
/// Returns whether a request sets the field, i.e. its value differs from that of an empty request.
bool is_given(const LayoutRequest& request, const LayoutField& field);

/// The counter of its block that a token's id on an axis follows.
enum class Along { none, token, frame, row, column };

/// The ids of a block on one axis: one number (none), or one per frame, row, column or token.
struct AxisIds {
  Along along = Along::none;
  double first = 0;            ///< ids are first, first + 1, … if none are listed
  std::vector<double> listed;  ///< one id per value of the counter, or empty
  double at(std::int64_t value) const {
    return listed.empty() ? first + static_cast<double>(value) : listed[static_cast<std::size_t>(value)];
  }
};

/// Consecutive tokens of one part: frames × rows × columns in this order, columns fastest; a text is one row.
struct TokenBlock {
  std::string part;  ///< text, image, reference1, reference2, …, audio, padding, cls
  int frames = 1, rows = 1;
  std::int64_t columns = 1;
  std::vector<AxisIds> ids;      ///< one entry per axis
  std::int64_t first_token = 0;  ///< index in the whole sequence of the model
  std::int64_t first_row = 0;    ///< index among the rotated tokens: the row of ids and tables
  bool is_image() const { return part == "image"; }
  bool is_text() const { return part == "text"; }
  bool is_reference() const { return part.starts_with("reference"); }
  std::int64_t count() const { return columns * rows * frames; }
  /// Returns the number of values of a counter of the block.
  std::int64_t count(Along along) const;
};

/// An axis of a layout: the angle of pair p is Σ over the axes of frequencies(axis, p)·(id_scale·id + offset).
struct LayoutAxis {
  std::string name;
  int rotary_dim = 0;  ///< channels that it rotates (vit-mixed: all of them, for both axes)
  double base = 0;     ///< 0 if the frequencies have no base (pixel ladder)
  double id_scale = 1, id_offset = 0;
  double amplitude = 1;  ///< factor on cos and sin of its pairs (YaRN of an axis)
};

/// The positions of a model's tokens: ids, and the frequencies that rotate by them. Small for any image: ids are stored
/// per row, column and frame.
struct TokenLayout {
  std::string name;
  std::vector<LayoutAxis> axes;
  Eigen::MatrixXd frequencies;  ///< [axes × pairs], radians per scaled id; 0 where an axis does not rotate a pair
  Pairing pairing = Pairing::interleaved;
  /// ERNIE-Image: channel c takes the angle of pair c/2 (a table for interleaved pairs) but is rotated with channel
  /// c ± n as in the half split.
  bool table_mismatch = false;
  /// Half split within the channels of each axis, not within the head (Allegro).
  bool halves_by_axis = false;
  std::vector<TokenBlock> blocks;  ///< in the order in which the model concatenates them, rotated tokens only
  std::vector<Message> notes;      ///< remarks for the reader

  Eigen::Index pair_count() const { return frequencies.cols(); }
  std::int64_t row_count() const;  ///< rotated tokens: Σ block.count()
};

/// The declaration of an axis in a list, before any request.
struct AxisDefault {
  std::string_view name;
  int rotary_dim;
  double base;
};

/// Tokens along each side of a model's training pictures; 0: unknown, or positions do not grow with the picture.
struct TrainedSides {
  int rows = 0, columns = 0, frames = 0;
  std::string_view source = {};  ///< source of these values
};

/// A model class that has a layout, as named by a config: its _class_name or model_type.
struct LayoutClass {
  std::string_view name;
  std::string_view note = {};   ///< text key of a remark on such configs
  std::string_view needs = {};  ///< a required field, neither null nor false; without it, the model is another one
};

/// The settings in configs of a layout's classes, in addition to the base; core/formats/config_layout.h parses them.
enum class ConfigHolds {
  axes,       ///< channels of each axis, and of a head
  wan,        ///< channels of a head; patches; channels of latents, which identify the VAE
  stretched,  ///< channels of a head, and the positions that the grid is stretched to
  all_heads,  ///< channels of all heads together
  patches,    ///< channels of a head, and pixels of a patch
  sections,   ///< M-RoPE's sections of the text tower, patches of the vision tower
};
/// These settings and the names of the fields to write: "axes_dims_rope", "rope_theta"; empty: the class has none.
struct ConfigOfLayout {
  ConfigHolds holds = ConfigHolds::axes;
  std::string_view channels = {}, base = {};
};

/// A Python formula for ids that need an explanation. It applies to axes that follow this counter, in these parts.
struct IdFormula {
  std::string_view part = {};  ///< prefix of the part's name; empty: every part
  Along along = Along::none;
  std::string_view python = {};  ///< formula in i (the token), t, row and column; {rows}, {text}, … are placeholders
  bool listed = false;           ///< only if the ids are listed (AxisIds)
  std::string_view axis = {};    ///< name of the axis; empty: every axis
};

/// How the released pipeline adjusts sizes in pixels; core/layouts/sizes.h applies it.
struct PipelineSizes {
  enum class References {
    as_they_are,  ///< unchanged: they must divide into tokens, or the layout itself resizes them
    shrunk,       ///< scaled down to a megapixel if larger, then rounded down to whole tokens
    megapixel     ///< scaled to a megapixel, sides rounded to the nearest multiples of 32
  };
  std::string_view source = {};  ///< file under src/diffusers of huggingface/diffusers; empty: unknown
  int multiple = 1;              ///< a side that is not a multiple of this is rejected; others are rounded down
  int pixels = 0;                ///< number of pixels to which every image is scaled first; 0: unscaled
  References references = References::as_they_are;
};

/// A family of layouts: a row of a table, with its position in lists. words_of() returns its title, the order of its
/// tokens (those in brackets are not rotated), the rule of its ids, and its quirk.
struct Layout {
  std::string_view name;    ///< stable, e.g. "flux.1"
  int place = 0;            ///< position in lists on screen, ascending: lines of tokens, models, towers, custom
  std::string_view source;  ///< repository and file
  bool has_quirk = false;   ///< a note describes something surprising
  std::span<const AxisDefault> axes = {};
  Pairing pairing = Pairing::interleaved;
  int vae_factor = 1;            ///< pixels per latent and side
  int patch = 1;                 ///< latents per token and side
  int frame_factor = 1;          ///< video: frames per frame of tokens; the first frame has its own
  bool any_frames = false;       ///< any number of frames is accepted; even ones have no separate first frame (Allegro)
  double frame_rate = 0;         ///< default frames per second of a layout that uses them
  bool identity_at_zero = true;  ///< a token whose ids are all 0 is not rotated
  bool keeps_norms = true;
  bool table_mismatch = false;                 ///< see TokenLayout
  bool halves_by_axis = false;                 ///< see TokenLayout
  bool axes_fill = true;                       ///< every pair belongs to exactly one axis (not mixed, not padded)
  bool unrotated_tokens = false;               ///< tokens attend with the image but are in no block: not rotated
  std::span<const LayoutField> settings = {};  ///< fields that it uses
  PipelineSizes sizes = {};
  LayoutClass classes[8] = {};  ///< model classes with this layout; siblings have the same first one
  ConfigOfLayout config = {};
  IdFormula formulas[3] = {};
  /// NumPy code that computes `frequency` [axes, pairs], with placeholders {base}, {pairs}, …; code without {base} is
  /// for axes that have no base. Empty: a plain ladder for each axis, with the blocks of pairs concatenated.
  std::string_view ladder = {};
  TrainedSides trained = {};
  /// Arranges the tokens of a checked request, without extension; call arrange() instead.
  TokenLayout (*arrange)(const Layout&, const LayoutRequest&);
};

/// Returns all layouts in display order. The law tests iterate over them.
std::span<const Layout> all_layouts();
/// Returns the layout called `name`. Throws InputError listing the known layouts if there is none.
const Layout& find_layout(std::string_view name);
/// Returns the "title", "order", "ids" or "quirk" of a layout.
Message words_of(const Layout& layout, std::string_view what);
/// Returns the fields of all layouts without duplicates.
std::vector<LayoutField> all_layout_fields();
/// Returns the field as the layout declares it; null if the layout does not use it.
const LayoutField* find_field(const Layout& layout, std::string_view name);
/// Returns whether the layout uses a field.
bool takes(const Layout& layout, std::string_view field);

/// Returns the default base that all axes of a layout share; nullopt if they differ.
std::optional<double> shared_base(const Layout& layout);

/// Returns the pixels per token and side: request.patch if the layout uses it, else VAE factor times patch.
int pixels_per_token(const Layout& layout, const LayoutRequest& request);

/// Returns the frames of tokens of a video: (frames − 1) / frame_factor + 1, or as defined by Layout::any_frames.
/// Throws InputError if the layout has no video, or its VAE does not accept that number of frames (names the nearest
/// accepted ones).
int count_token_frames(const Layout& layout, int video_frames);

/// Computes the ids and ladders of a request. Throws InputError naming the field, the found and the expected value: an
/// image that does not divide into tokens (names the nearest sizes that do), a field that the layout does not use, a
/// number out of range, more than 2^27 tokens.
TokenLayout arrange(const Layout& layout, const LayoutRequest& request);

/// The position of a table row in its layout.
struct TokenPlace {
  std::size_t block = 0;
  int frame = 0, row = 0;
  std::int64_t column = 0;
  std::int64_t token = 0;  ///< index in the whole sequence of the model
};
/// Returns the position of a row. Precondition: 0 ≤ row < row_count().
TokenPlace place_of(const TokenLayout& layout, std::int64_t row);
/// Returns the ids of a row, one per axis.
std::vector<double> ids_of(const TokenLayout& layout, std::int64_t row);
/// Returns the ids of rows first … first + count − 1: [count × axes]. Throws InputError if they do not all exist.
Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> id_rows(const TokenLayout& layout,
                                                                               std::int64_t first, std::int64_t count);

// --- Places --------------------------------------------------------------------------------------------------------

/// Throws InputError unless rows first … first + count − 1 all exist.
void require_rows(const TokenLayout& layout, std::int64_t first, std::int64_t count);
/// Returns the index of a position among the values of a counter of its block.
std::int64_t value_index(const TokenBlock& block, Along along, const TokenPlace& place);

// --- Counterparts --------------------------------------------------------------------------------------------------

/// Returns the request with which another layout arranges the same image. It has the token grid of the arranged image
/// and its references, and those members of `asked` that the other layout uses (text, frames, base, …). Others, and a
/// head dimension that it does not support, keep the other layout's values. Throws InputError if one has no image.
LayoutRequest counterpart_request(const TokenLayout& arranged, const LayoutRequest& asked, const Layout& other);

/// Returns the block of the image. Throws InputError if there is none.
const TokenBlock& image_block(const TokenLayout& arranged);

/// Throws InputError unless both images have the same frames, rows and columns of tokens, so that token i of one
/// corresponds to token i of the other.
void require_same_image(const TokenLayout& arranged, const TokenLayout& other);

}  // namespace ropescope
