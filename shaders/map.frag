#version 330 core

// The colour of a map's pixel, as app/figure/map_window.cpp has it: the mean of the cells under it (of angles the
// direction of their mean phasor, or their mean sine or cosine) looked up in the table; stripes where every cell is NaN,
// or angles have no direction.

uniform sampler2D cells;       // one float a cell
uniform sampler2D table;       // 256 colours
uniform ivec2 size;            // columns, rows
uniform ivec2 base;            // whole cells left out of `first`, so that floats stay exact far inside a map
uniform vec2 first, cell_step; // edge of the first pixel in cells; cells per pixel
uniform float low, per_range;  // of the bar; 1 / its length, 0 where it is empty
uniform bool cyclic;
uniform int wave;              // of cells that are angles: 0 nothing, 1 sine, 2 cosine
uniform ivec2 apart;           // cells to a neighbour of the same kind
uniform vec2 turning;          // cells from pixel to pixel, as far as turning matters
uniform vec3 ground, hatch;
uniform int period, stripe;    // of the hatch, in pixels
out vec4 colour;

const float kTurn = 6.283185307179586, kPi = 3.141592653589793, kShortestPhasor = 0.6366;

struct Footprint { int first, last; float first_weight, last_weight; };

Footprint footprint(int axis, float pixel) {
  float count = float(size[axis] - base[axis]);
  float one = first[axis] + cell_step[axis] * pixel, other = one + cell_step[axis];
  float from = clamp(min(one, other), -float(base[axis]), count);
  float to = clamp(max(one, other), -float(base[axis]), count);
  if (abs(cell_step[axis]) <= 1.000001 || !(from < to)) {
    int cell = clamp(int(floor((one + other) / 2.0)) + base[axis], 0, size[axis] - 1);
    return Footprint(cell, cell, 1.0, 1.0);
  }
  float begin = floor(from), end = ceil(to);
  return Footprint(int(begin) + base[axis], int(end) - 1 + base[axis], begin + 1.0 - from, to - (end - 1.0));
}

float weight(Footprint f, int cell) { return cell == f.first ? f.first_weight : cell == f.last ? f.last_weight : 1.0; }

// Place in the bar, 0 to 1.
float place(float value) { return per_range > 0.0 ? (value - low) * per_range : 0.5; }

// How far angles turn from pixel to pixel along an axis.
float turn(int axis, ivec2 cell) {
  ivec2 step = axis == 0 ? ivec2(apart.x, 0) : ivec2(0, apart.y);
  ivec2 there = cell + step;
  if (there[axis] >= size[axis]) there = cell[axis] >= apart[axis] ? cell - step : cell;
  float difference = abs(texelFetch(cells, there, 0).r - texelFetch(cells, cell, 0).r);
  return isnan(difference) || isinf(difference) ? 0.0 : difference / float(apart[axis]) * turning[axis];
}

float faded(float turned) { return clamp(2.0 - 2.0 * turned / kPi, 0.0, 1.0); }

void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  Footprint columns = footprint(0, float(pixel.x)), rows = footprint(1, float(pixel.y));
  vec2 sum = vec2(0.0);
  float weights = 0.0;
  bool angles = cyclic || wave != 0;
  for (int row = rows.first; row <= rows.last; ++row) {
    for (int column = columns.first; column <= columns.last; ++column) {
      float value = texelFetch(cells, ivec2(column, row), 0).r;
      if (isnan(value) || (angles && isinf(value))) continue;
      float w = weight(rows, row) * weight(columns, column);
      float angle = fract(cyclic ? place(value) : value / kTurn) * kTurn;
      weights += w;
      sum += w * (angles ? vec2(cos(angle), sin(angle)) : vec2(place(value), 0.0));
    }
  }
  bool single = columns.first == columns.last && rows.first == rows.last;
  ivec2 middle = ivec2((columns.first + columns.last) / 2, (rows.first + rows.last) / 2);
  vec2 turned = angles ? vec2(turn(0, middle), turn(1, middle)) : vec2(0.0);
  bool blurred = cyclic && ((!single && length(sum) < kShortestPhasor * weights) || max(turned.x, turned.y) > kPi);
  if (!(weights > 0.0) || blurred) {
    colour = vec4((pixel.x + pixel.y) % period < stripe ? hatch : ground, 1.0);
    return;
  }
  if (wave != 0) sum.x = weights * place((wave == 1 ? sum.y : sum.x) / weights * faded(turned.x) * faded(turned.y));
  float t = cyclic ? 256.0 * fract(atan(sum.y, sum.x) / kTurn) : 255.0 * clamp(sum.x / weights, 0.0, 1.0);
  int k = min(int(t), cyclic ? 255 : 254);
  vec4 a = texelFetch(table, ivec2(k, 0), 0), b = texelFetch(table, ivec2((k + 1) % 256, 0), 0);
  colour = vec4(mix(a, b, t - float(k)).rgb, 1.0);
}
