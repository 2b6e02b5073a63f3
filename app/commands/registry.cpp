#include "app/commands/commands.h"

namespace ropescope {

std::vector<Command> all_commands() {
  // Numbers first, then pictures, then what there is to choose from.
  return {
      {"frequencies", "Print the frequency and wavelength of every pair", declare_frequencies},
      {"decay", "Print similarity and Abel bound at given distances", declare_decay},
      {"limits", "Print how far a base reaches and which base a context needs", declare_limits},
      {"precision", "Print the error of cos and sin in short number formats", declare_precision},
      {"rotate", "Rotate the vectors of a .npy file", declare_rotate},
      {"encoding", "Print the values of a position encoding", declare_encoding},
      {"score", "Print the attention score between two positions, term by term", declare_score},
      {"attention", "Write the attention weights of a sequence", declare_attention},
      {"vectors", "Print what q and k of a model hold: pairs, directions, scores by distance", declare_vectors},
      {"layout", "Print the ids of every token of an image, and write its rotation tables", declare_layout},
      {"similarity", "Print how similar the tokens of an image are to one of them", declare_similarity},
      {"check", "Say whether tables or ids agree with a model, and if not, why", declare_check},
      {"compare", "Say how two descriptions of a model differ, and what that does to the score", declare_compare},
      {"render", "Draw a view into a file, without a display", declare_render},
      {"animate", "Draw a view while knobs move, as a GIF or as numbered frames", declare_animate},
      {"sweep", "Write numbers of the cards over knobs, as a table", declare_sweep},
      {"race", "Train small models with different encodings and write their losses", declare_race},
      {"screenshot", "Draw the whole window into a PNG, without a display", declare_screenshot},
      {"lessons", "List the lessons", declare_lessons},
      {"lesson", "Print a lesson, check one of your own, or draw a step of it", declare_lesson},
      {"handout", "Write lessons as a document to print, or as a web page", declare_handout},
      {"config", "Say what a model's config.json or .gguf means for its rotary embedding", declare_config},
      {"encodings", "List the position encodings", declare_encodings},
      {"layouts", "List the layouts", declare_layouts},
      {"models", "List the presets", declare_models},
      {"manual", "Print the manual page, or what a shell needs to complete words", declare_manual},
  };
}

}  // namespace ropescope
