// The start screen: four large choices with moving pictures, opened at the first start and from the program's name.
// App::dialog (app.h) holds its state; dialogs.cpp draws it over the frame.
#pragma once

#include <string>

#include "app/experiment/experiment.h"
#include "app/figure/palette.h"
#include "app/figure/scene/scene.h"
#include "app/ui/app.h"

namespace ropescope::ui {

/// See RoPE rotate; drag the base; open a model; check a port.
enum class StartChoice { turn, base, model, check };

/// Names the initial experiment after a model if no earlier one was restored. Call it after load_state().
void start_fresh(App& app);
/// Opens the start screen if there is nothing to restore or to report and the settings allow it. Call it after
/// start_fresh() if nothing else was opened.
void greet(App& app);

void draw_start(App& app, const Rect& screen, Experiment& edited);

/// What a picture of a choice shows.
struct StartPicture {
  StartChoice choice{};
  Rect rect;
  double phase = 0;  ///< 0…1 in one cycle; 0 is the static picture
  double unit = 1;   ///< pixels per pixel at 100 % text
};
/// Draws a picture: clocks of four pairs; a similarity curve over 160 distances while the base goes from 10² to 10⁶;
/// the wavelengths of presets; the tables of a 4 × 4 image with swapped axes, and the correct ones.
Scene draw_start_picture(const StartPicture& picture, const App& app);

}  // namespace ropescope::ui
