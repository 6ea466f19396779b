#ifndef OFFERS_PIXBUF_SHIM_H
#define OFFERS_PIXBUF_SHIM_H

#include <stdbool.h>
#include <stddef.h>

// The library gdk-pixbuf (https://docs.gtk.org/gdk-pixbuf/), opened at run time, so that no program
// needs it to start. A process that decodes pictures of others ends after one picture.

// The most bytes of a text that these functions write, with its end.
enum { OFFERS_PIXBUF_TEXT = 512 };

// The bytes of three colors, each of red, green and blue.
enum { OFFERS_PIXBUF_COLORS = 9 };

// Writes the version of the library, and the names of the formats that it decodes, each after a space,
// such as "2.42.10 png jpeg gif". Returns whether the library is installed.
bool offers_pixbuf_describe(char text[OFFERS_PIXBUF_TEXT]);

// Makes a copy of a picture that fits into a place, without turning it larger: its first image, upright,
// as a JPEG, or as a PNG if a part of it is transparent.
//
// `format` is the library's name of the format, which is the only one that is tried. Returns the bytes of
// the copy, which the library allocated; they stay until the process ends, and writes the average colors of the
// thirds of the picture, from the top, to `colors`. Returns NULL, and writes the reason to `problem`, if there is
// no copy.
const unsigned char *offers_pixbuf_scale(
    const unsigned char *bytes, size_t count, const char *format, int width, int height,
    size_t *copy_count, unsigned char colors[OFFERS_PIXBUF_COLORS], char problem[OFFERS_PIXBUF_TEXT]);

#endif
