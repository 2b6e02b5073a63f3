// Token positions of image and video models: what a layout is, which there are, what may be asked of one, and ids of
// its tokens. The layouts themselves stand in images.cpp, videos.cpp, multimodal.cpp and vision.cpp.
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

// --- What a layout is ----------------------------------------------------------------------------------------------

/// How large an image is: in pixels, or in tokens (then the model's own pixels per token do not matter).
struct ImageSize {
  int rows = 1, columns = 1;  ///< height and width in pixels, or rows and columns of tokens
  bool in_pixels = false;

  static ImageSize pixels(int width, int height) { return {height, width, true}; }
  static ImageSize tokens(int rows, int columns) { return {rows, columns, false}; }
  bool operator==(const ImageSize&) const = default;
};

/// One axis of the layout "custom". Known names follow what is counted: t (frames; references 1, 2, …), row or y,
/// column or x, l (text tokens); an axis of another name stays at 0.
struct CustomAxis {
  std::string name;
  int rotary_dim = 0;          ///< even, 2…8192
  std::optional<double> base;  ///< none: LayoutRequest::base, else 10000
  bool operator==(const CustomAxis&) const = default;
};

/// What a layout is asked for. What a layout looks at, and what is valid, its declarations say (Layout::settings); a
/// field that is given and not looked at is an error (a text count only where there is no text at all).
struct LayoutRequest {
  std::optional<ImageSize> image;  ///< required by every layout but "text"
  std::int64_t text = 0;           ///< text tokens, those before the image where there are two places
  std::int64_t text_after = 0;     ///< text tokens after the images (language models)
  std::vector<ImageSize> references;
  int frames = 1;  ///< frames of tokens (after the video's temporal compression)
  /// Frames a second of the video; of language models: of those that the model sees. None: Layout::frame_rate.
  std::optional<double> frame_rate;
  /// qwen2-vl: ids of t a second, as Qwen2.5-VL has them; none: frames count one by one.
  std::optional<double> tokens_per_second;
  bool unscaled = false;           ///< ltx-video: ids are plain counts (rope_interpolation_scale = None)
  std::optional<int> head_dim;     ///< channels that are dealt to the axes; a fixed layout accepts its own only
  std::vector<int> axis_dims;      ///< channels of each axis in the layout's order, from a config; empty: the default
  std::optional<double> base;      ///< of every axis
  std::optional<int> patch;        ///< pixels per token and side (vision models, raster, custom)
  std::vector<int> position_grid;  ///< cogview4: positions the grid is stretched to (rope_axes_dim); empty: 256, 256
  std::vector<int> sections;       ///< M-RoPE: pairs of each axis; empty: the default
  bool language_ladder = false;    ///< lucidrains-axial: counts and b^(−2i/d) instead of coordinates and pixel ladder
  std::optional<double> max_frequency;  ///< lucidrains-axial: f of the pixel ladder; none: 10
  std::vector<CustomAxis> axes;         ///< custom
  std::optional<Pairing> pairing;       ///< custom, text, raster, glm-4v, moonvit; none: the layout's
  Eigen::MatrixXd mixed_frequencies;    ///< vit-mixed: [2 × pairs], radians per x and per y; empty: as initialised
  int head = 0;                         ///< which head the frequencies are for, where each has its own
  int heads = 1;                        ///< vit-mixed: how many side by side, from `head` on
  std::uint64_t seed = 0;               ///< vit-mixed: of the initial frequencies
  std::string scaling = "none";         ///< the method that extends the ladders of the axes (extension.h)
  std::map<std::string, double, std::less<>> numbers = {};  ///< fields without a member, under their names
  bool fit = false;  ///< an image in pixels is made what the released pipeline makes of it (Layout::sizes)
};

struct Layout;

/// A field as a layout declares it; its initial value is that of its field. One that a single layout looks at needs
/// no member: its value is kept under its name (LayoutRequest::numbers).
struct LayoutField : NumberField {
  std::variant<std::monostate, bool LayoutRequest::*, int LayoutRequest::*, std::int64_t LayoutRequest::*,
               std::uint64_t LayoutRequest::*, std::optional<int> LayoutRequest::*,
               std::optional<double> LayoutRequest::*, std::optional<Pairing> LayoutRequest::*,
               std::vector<int> LayoutRequest::*, std::vector<CustomAxis> LayoutRequest::*,
               std::vector<ImageSize> LayoutRequest::*, std::optional<ImageSize> LayoutRequest::*,
               std::string LayoutRequest::*, Eigen::MatrixXd LayoutRequest::*>
      member = {};
  std::string_view of = {};  ///< the field that it belongs to, under whose name people read about it
  unsigned traits = 0;       ///< some of the following
  /// Other fields of the layout: this one is asked for only while `with` is not 0 and `without` is; empty: always.
  std::string_view with = {}, without = {};
};
inline constexpr unsigned kNotForCounterpart =
    1;  ///< another layout over the same image keeps its own (see counterpart)
inline constexpr unsigned kNoOption = 2;
inline constexpr unsigned kCheckedByLayout = 4;  ///< what is valid it says when it arranges
inline constexpr unsigned kOfModel = 8;          ///< a model's config says it; 0 of its field is the layout's own
inline constexpr unsigned kNoControl = 16;       ///< follows from the rest: only a file or an option says it
inline constexpr unsigned kSharedOption = 32;    ///< a rope or an encoding has an option of that name too
/// The value of a number or switch; none where it is not given.
std::optional<double> value_of(const LayoutRequest& request, const LayoutField& field);
/// Precondition: a number or switch, and a value that the member can hold.
void set_value(LayoutRequest& request, const LayoutField& field, double value);
/// Whether a request gives the field: it is not as in an empty one.
bool is_given(const LayoutRequest& request, const LayoutField& field);

/// Which counter of its block a token's id on an axis follows.
enum class Along { none, token, frame, row, column };

/// The ids of a block on one axis: one number (none), or one per frame, row, column or token.
struct AxisIds {
  Along along = Along::none;
  double first = 0;            ///< ids are first, first + 1, … where none are listed
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
  std::int64_t count() const { return columns * rows * frames; }
  /// How many values a counter of the block takes.
  std::int64_t count(Along along) const;
};

/// One axis as a layout uses it: the angle of pair p is Σ over the axes of frequencies(axis, p)·(id_scale·id + offset).
struct LayoutAxis {
  std::string name;
  int rotary_dim = 0;  ///< channels that it turns (vit-mixed: all of them, for both axes)
  double base = 0;     ///< 0 where the frequencies know no base (pixel ladder)
  double id_scale = 1, id_offset = 0;
  double amplitude = 1;  ///< cos and sin of its pairs are multiplied by it (YaRN of an axis)
};

/// Where a model puts its tokens: ids and what turns by them. Small whatever the image: ids are kept per row, column
/// and frame.
struct TokenLayout {
  std::string name;
  std::vector<LayoutAxis> axes;
  Eigen::MatrixXd frequencies;  ///< [axes × pairs], radians per scaled id; 0 where an axis does not turn a pair
  Pairing pairing = Pairing::interleaved;
  /// ERNIE-Image: channel c takes the angle of pair c/2 (a table for interleaved pairs) but is rotated with channel
  /// c ± n as in the half split.
  bool table_mismatch = false;
  /// Half split within the channels of each axis, not within the head (Allegro).
  bool halves_by_axis = false;
  std::vector<TokenBlock> blocks;  ///< in the order in which the model concatenates them, rotated tokens only
  std::vector<Words> notes;        ///< what a reader must know

  Eigen::Index pair_count() const { return frequencies.cols(); }
  std::int64_t row_count() const;  ///< rotated tokens: Σ block.count()
};

/// An axis as it stands in a list, before any request.
struct AxisDefault {
  std::string_view name;
  int rotary_dim;
  double base;
};

/// Tokens along each side of the pictures that a model was trained with; 0: not known, or positions do not grow with
/// the picture.
struct TrainedSides {
  int rows = 0, columns = 0, frames = 0;
  std::string_view source = {};  ///< who says so
};

/// A class of models that has a layout, as a config names it: its _class_name or model_type.
struct LayoutClass {
  std::string_view name;
  std::string_view note = {};   ///< what a reader of such a config must know: the key of a text
  std::string_view needs = {};  ///< a field without which it is another model's: neither null nor false
};

/// What configs of its classes hold of a layout, beside the base; core/formats/config_layout.h reads it.
enum class ConfigHolds {
  axes,       ///< channels of each axis, and of a head
  wan,        ///< channels of a head; patches; channels of latents, by which their VAE is known
  stretched,  ///< channels of a head, and the positions that the grid is stretched to
  all_heads,  ///< channels of all heads together
  patches,    ///< channels of a head, and pixels of a patch
  sections,   ///< M-RoPE's sections of the text tower, patches of the vision tower
};
/// The same with the fields to be written: "axes_dims_rope", "rope_theta"; empty: the class has none.
struct ConfigOfLayout {
  ConfigHolds holds = ConfigHolds::axes;
  std::string_view channels = {}, base = {};
};

/// Ids that their own numbers do not explain, as Python: those of an axis that follows this counter in these parts.
struct IdFormula {
  std::string_view part = {};  ///< its name begins so; empty: every part
  Along along = Along::none;
  std::string_view python = {};  ///< of i (the token), t, row and column; {rows}, {text}, … stand for numbers
  bool listed = false;           ///< only where the ids are listed (AxisIds)
  std::string_view axis = {};    ///< its name; empty: every axis
};

/// What the released pipeline makes of sizes in pixels; core/layouts/sizes.h applies it.
struct PipelineSizes {
  enum class References {
    as_they_are,  ///< they must divide into tokens, or the layout itself resizes them
    shrunk,       ///< to a megapixel where they have more, then rounded down to whole tokens
    megapixel     ///< to a megapixel, sides to the nearest multiples of 32
  };
  std::string_view source = {};  ///< file under src/diffusers of huggingface/diffusers; empty: none is known
  int multiple = 1;              ///< it refuses a side that is no multiple of so many; others it rounds down
  int pixels = 0;                ///< it scales every image to so many first; 0: to none
  References references = References::as_they_are;
};

/// A family of layouts: one block with its place among the others. Its title, the order of its tokens (what is in
/// brackets is not rotated), the rule of its ids and its quirk are texts: words_of.
struct Layout {
  std::string_view name;    ///< stable, e.g. "flux.1"
  int place = 0;            ///< in a list on screen, the least first: lines of tokens, models, towers, one's own
  std::string_view source;  ///< repository and file
  bool has_quirk = false;   ///< something surprises: a note
  std::span<const AxisDefault> axes = {};
  Pairing pairing = Pairing::interleaved;
  int vae_factor = 1;            ///< pixels per latent and side
  int patch = 1;                 ///< latents per token and side
  int frame_factor = 1;          ///< video: frames per frame of tokens, after a first frame of its own
  bool any_frames = false;       ///< any number of frames is taken; even ones have no frame of its own (Allegro)
  double frame_rate = 0;         ///< frames a second where nobody says, of a layout that looks at them
  bool identity_at_zero = true;  ///< a token whose ids are all 0 is not rotated
  bool keeps_norms = true;
  bool axes_fill = true;                       ///< every pair belongs to exactly one axis (not mixed, not padded)
  std::span<const LayoutField> settings = {};  ///< what it looks at
  PipelineSizes sizes = {};
  LayoutClass classes[8] = {};  ///< models that have it; a sibling has the same first one
  ConfigOfLayout config = {};
  IdFormula formulas[3] = {};
  /// NumPy that leaves `frequency` [axes, pairs], with {base}, {pairs}, … in place of numbers; one without {base} is
  /// for axes that know none. Empty: a plain ladder for each axis, one block of pairs after the other.
  std::string_view ladder = {};
  TrainedSides trained = {};
  /// Arranges the tokens of a checked request, without extension; call arrange instead.
  TokenLayout (*arrange)(const Layout&, const LayoutRequest&);
};

/// All layouts in the order in which a list shows them. Law tests run over it.
std::span<const Layout> all_layouts();
/// Throws InputError that names the layout and lists those there are.
const Layout& find_layout(std::string_view name);
/// "title", "order", "ids" or "quirk" of a layout.
Words words_of(const Layout& layout, std::string_view what);
/// The fields of all layouts, each once.
std::vector<LayoutField> all_layout_fields();
/// The field as the layout declares it; null where it does not look at it.
const LayoutField* find_field(const Layout& layout, std::string_view name);
/// Whether the layout looks at a field.
bool takes(const Layout& layout, std::string_view field);

/// The base of all axes of a layout as it is, where they share one.
std::optional<double> shared_base(const Layout& layout);

/// Pixels per token and side: request.patch where the layout takes it, else VAE factor times patch.
int pixels_per_token(const Layout& layout, const LayoutRequest& request);

/// Frames of tokens of a video of so many frames, (frames − 1) / frame_factor + 1 or as Layout::any_frames says. Throws
/// InputError where the layout has no video of its own, or its VAE does not take that many (names the nearest that it
/// does).
int frames_of_tokens(const Layout& layout, int video_frames);

/// The ids and ladders of a request. Throws InputError that names what was asked, what was found and what was expected:
/// an image that does not divide into tokens (names the nearest sizes that do), a field that the layout does not
/// take, a number out of range, more than 2^27 tokens.
TokenLayout arrange(const Layout& layout, const LayoutRequest& request);

/// Where a row of the tables is.
struct TokenPlace {
  std::size_t block = 0;
  int frame = 0, row = 0;
  std::int64_t column = 0;
  std::int64_t token = 0;  ///< index in the whole sequence of the model
};
/// Precondition: 0 ≤ row < row_count().
TokenPlace place_of(const TokenLayout& layout, std::int64_t row);
/// The ids of a row, one per axis.
std::vector<double> ids_of(const TokenLayout& layout, std::int64_t row);
/// Rows first … first + count − 1: [count × axes]. Throws InputError where they are not all there.
Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> id_rows(const TokenLayout& layout,
                                                                               std::int64_t first, std::int64_t count);

// --- Places --------------------------------------------------------------------------------------------------------

/// Throws InputError unless rows first … first + count − 1 are all there.
void require_rows(const TokenLayout& layout, std::int64_t first, std::int64_t count);
/// Which of the values of an axis a place of the block has.
std::int64_t value_index(const TokenBlock& block, Along along, const TokenPlace& place);

// --- Counterparts --------------------------------------------------------------------------------------------------

/// What to ask another layout for, so that it arranges the same image: the grid of tokens of the arranged image and its
/// references, and of `asked` what the other one looks at (text, frames, base, …). What it does not look at, and a
/// head dimension that it cannot have, keeps the other layout's own value. Throws InputError where one of the two has
/// no image.
LayoutRequest counterpart_request(const TokenLayout& arranged, const LayoutRequest& asked, const Layout& other);

/// The block of the image. Throws InputError where there is none.
const TokenBlock& image_block(const TokenLayout& arranged);

/// Throws InputError unless both images have the same frames, rows and columns of tokens, so that token i of one can
/// stand beside token i of the other.
void require_same_image(const TokenLayout& arranged, const TokenLayout& other);

}  // namespace ropescope
