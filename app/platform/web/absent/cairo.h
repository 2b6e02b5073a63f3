// Stub for Cairo's header: the web build compiles code that includes it, but has no page painter.
#pragma once
struct _cairo;
struct cairo_surface_t;
typedef struct _cairo cairo_t;
inline void cairo_destroy(cairo_t*) {}
inline void cairo_surface_destroy(cairo_surface_t*) {}
