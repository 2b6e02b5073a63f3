// The entries of the views, which registry.cpp lists. Read view.h first.
#pragma once

#include "app/views/view.h"

namespace ropescope {

/// How a vector is rotated (RoFormer, arXiv 2104.09864, section 3.2). RotationFields::show selects one of five
/// pictures: one pair in the plane and the clocks of all pairs; the helix of a pair; the four forms with live numbers;
/// the two pairings, the conversion between them and the effect of mixing them on the score; and other laws of angle
/// and length over the position, of which the derivation leaves the rotation. The cards show that the score depends
/// only on the difference of the positions. While m and k are locked, a slider of one also moves the other
/// (keep_distance). Dragging "q" or "k" in the plane sets its components; a click on the clock "pair.17" brings that
/// pair into the plane.
///
/// The player increases m by `rotation.speed` positions per second (and k if locked). In the picture of the pairings it
/// instead moves the channels from interleaved to half split, in kPermuteSeconds. It stops at the last position, or
/// once the channels have arrived; play then restarts. A step goes to the next integer position, or the next quarter of
/// the channels' way.
extern const View kRotationView;

/// Similarity K(Δ) (core/decay/kernel.h) with its trend (core/decay/analysis.h) and its envelope, and the Abel bound
/// B(Δ) in a second panel over the same distances: one curve per rope, current and pinned; rules at trained lengths and
/// marked wavelengths. With content from a checkpoint's weights, the curve of aligned content is drawn for comparison.
///
/// The picture "phasors" draws the pairs' unit arrows at one distance head to tail (core/decay/analysis.h), and Abel's
/// chain of inequalities for the content as bars. The player increases the distance by `decay.speed` per second and
/// stops at the largest; play then restarts at 0. A step goes to the next integer distance.
extern const View kDecayView;

/// Frequency or wavelength of every pair under the rope's extension: one curve per rope, the method's treatment of each
/// pair, the pairs that never complete a turn in training, and the ratio to the plain ladder.
extern const View kFrequenciesView;

/// One of three pictures. The first: largest context over the base of the plain ladder, with the bases that allow the
/// selected context and real models as points. The second: turns and variance of cos and sin of each pair over that
/// context. The third: similarity of all pairs and of the pairs that complete a turn in that context.
extern const View kLimitsView;

/// The effect of number formats on the first rope that is not hidden: the largest error of the cosines by position, one
/// line per selected policy, with rules where adjacent positions round to one number. Below it: the error of the score,
/// or the score of two tokens at a fixed distance while both are shifted.
extern const View kPrecisionView;

/// A card's number from any other view: over one field as a curve, or over two fields as a map.
extern const View kSweepView;

/// The values of an encoding as a map with positions downwards: sinusoidal vectors (rope.base, rope.rotary_dim); cos,
/// sin and angle modulo 2π of RoPE on the rope's ladder (including its extension and axis, without its amplitude); or a
/// learned table for contrast. Below the map: the values of the selected row and of the row under the mouse, and each
/// dimension over the shown positions. Cards count the moving dimensions. The positions can be a sentence's words. A
/// click on the map selects a row.
extern const View kAtlasView;

/// The effect of position encodings on a score; CompareFields::show selects the picture. distance: scores by distance
/// of any set of encodings with the same content, showing the end of learned tables. matrix: scores of queries against
/// keys for one encoding, in total and term by term. phrase: scores between a phrase's words at two places in a
/// sentence. The rope's context extension is not used. A click on a matrix selects the query; a click on a word starts
/// the phrase there.
extern const View kCompareView;

/// Attention over a sequence with one encoding; AttentionFields::show selects the picture. weights: the weight of each
/// value in each output, one row of it, row sums, and means by distance. shift: the change in outputs when all
/// positions shift. shuffle: the effect of a different token order on weights and outputs; tokens of its lower line can
/// be dragged. cost: measured times of softmax and linear attention over the number of tokens. energy: mean score by
/// distance with its bound, and the energy of each pair of channels in q and k. The rope's context extension is not
/// used. A click on the map or on the row sums selects the query whose weights are drawn as a curve. Opens a .npz or
/// .npy of q and k.
extern const View kAttentionView;

/// The token grid of an image model, the position of each token, and the similarity of two tokens. Clicks on patches
/// set the anchor, then targets. Opens a PNG or JPEG, which is drawn on the patches and sets the nearest supported
/// image size (throws InputError if unreadable), or a config.json, which selects the layout.
extern const View kLayoutView;

/// The similarity of every token to an anchor that follows the mouse, in the selected layout and in a second one next
/// to it. A click fixes the anchor; after that, clicks choose anchor and targets (click_token).
extern const View kSimilarityView;

/// A user's tensors compared with a model's definition: whether they agree and, if not, which known mistake explains
/// the difference. A click selects a token and a pair. A card's button applies a cause to the reference, or removes it.
/// Holding R swaps the user's side and the reference (in the difference it shows the user's side, with Shift the
/// reference).
extern const View kCheckView;

/// Map over layers and pairs, profile of a head, kernel, and cards.
extern const View kWeightsView;

/// Results as published (assets/reported), as bars from 0, with what is compared and the source. The only computed
/// numbers are differences of two published ones.
extern const View kReportedView;

/// Small Transformers trained side by side: loss by step, the leading runner, and the significance of its lead.
extern const View kRaceView;

}  // namespace ropescope
