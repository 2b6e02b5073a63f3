// In place of Cairo's header: the page draws no pages, but compiles who would.
#pragma once
struct _cairo;
struct cairo_surface_t;
typedef struct _cairo cairo_t;
inline void cairo_destroy(cairo_t*) {}
inline void cairo_surface_destroy(cairo_surface_t*) {}
