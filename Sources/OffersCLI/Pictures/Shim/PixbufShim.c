#include "PixbufShim.h"

#include <stdio.h>

#include "SharedLibrary.h"

// The types of GLib that the functions pass: GError and GSList. Objects are opaque.
struct error {
  unsigned domain;
  int code;
  char *message;
};
struct list {
  void *data;
  struct list *next;
};
typedef void (*callback)(void);

static struct {
  const char *const *version;
  struct list *(*get_formats)(void);
  char *(*format_name)(void *format);
  void *(*loader)(const char *type, struct error **error);
  unsigned long (*connect)(
      void *object, const char *signal, callback handler, void *data, void *destroy, int flags);
  void (*set_size)(void *loader, int width, int height);
  int (*write)(void *loader, const unsigned char *bytes, size_t count, struct error **error);
  int (*close)(void *loader, struct error **error);
  void *(*picture)(void *loader);
  void *(*upright)(void *picture);
  void *(*scale)(const void *picture, int width, int height, int interpolation);
  int (*width)(const void *picture);
  int (*height)(const void *picture);
  int (*has_alpha)(const void *picture);
  int (*row_bytes)(const void *picture);
  const unsigned char *(*pixels)(const void *picture);
  int (*save)(
      void *picture, char **bytes, size_t *count, const char *type, char **names, char **values,
      struct error **error);
} pixbuf;

// In the order of the members above.
static const char *const names[] = {
    "gdk_pixbuf_version",
    "gdk_pixbuf_get_formats",
    "gdk_pixbuf_format_get_name",
    "gdk_pixbuf_loader_new_with_type",
    // From a library that gdk-pixbuf depends on.
    "g_signal_connect_data",
    "gdk_pixbuf_loader_set_size",
    "gdk_pixbuf_loader_write",
    "gdk_pixbuf_loader_close",
    "gdk_pixbuf_loader_get_pixbuf",
    "gdk_pixbuf_apply_embedded_orientation",
    "gdk_pixbuf_scale_simple",
    "gdk_pixbuf_get_width",
    "gdk_pixbuf_get_height",
    "gdk_pixbuf_get_has_alpha",
    "gdk_pixbuf_get_rowstride",
    "gdk_pixbuf_read_pixels",
    "gdk_pixbuf_save_to_bufferv",
    NULL,
};
_Static_assert(
    sizeof names == sizeof pixbuf + sizeof(char *), "There are not as many names as members.");

static bool load(void) {
  static const char *const files[] = {"libgdk_pixbuf-2.0.so.0", NULL};
  static bool is_loaded;
  const char *problem;
  is_loaded = is_loaded || offers_open_library(files, names, (void **)&pixbuf, &problem);
  return is_loaded;
}

bool offers_pixbuf_describe(char text[OFFERS_PIXBUF_TEXT]) {
  if (!load()) return false;
  int length = snprintf(text, OFFERS_PIXBUF_TEXT, "%s", *pixbuf.version);
  for (struct list *each = pixbuf.get_formats(); each != NULL; each = each->next) {
    if (length < 0 || length >= OFFERS_PIXBUF_TEXT) break;
    length += snprintf(
        text + length, OFFERS_PIXBUF_TEXT - (size_t)length, " %s", pixbuf.format_name(each->data));
  }
  return true;
}

struct place {
  int width;
  int height;
};

// The size of a picture in a place: as it is, or smaller with the same shape.
static struct place fit(int width, int height, struct place place) {
  double scale = 1;
  if (width > place.width) scale = (double)place.width / width;
  if (height * scale > place.height) scale = (double)place.height / height;
  struct place size = {(int)(width * scale + 0.5), (int)(height * scale + 0.5)};
  if (size.width < 1) size.width = 1;
  if (size.height < 1) size.height = 1;
  return size;
}

// Before the pixels are decoded: JPEG is decoded in a smaller size, which saves time and memory. Whether the
// picture is turned afterwards is not known yet, so that both its width and its height may be the width.
static void limit_size(void *loader, int width, int height, void *place) {
  struct place size = fit(width, height, *(struct place *)place);
  struct place turned = fit(height, width, *(struct place *)place);
  if (turned.height > size.width) size = (struct place){turned.height, turned.width};
  if (size.width < width || size.height < height) {
    pixbuf.set_size(loader, size.width, size.height);
  }
}

// The average colors of the upper, the middle and the lower third of a picture, on white where it is transparent.
static bool find_colors(const void *picture, unsigned char colors[OFFERS_PIXBUF_COLORS]) {
  // GDK_INTERP_BILINEAR
  const void *small = pixbuf.scale(picture, 1, 3, 2);
  if (small == NULL) return false;
  bool has_alpha = pixbuf.has_alpha(small);
  const unsigned char *row = pixbuf.pixels(small);
  for (int y = 0; y < 3; y++, row += pixbuf.row_bytes(small)) {
    int alpha = has_alpha ? row[3] : 255;
    for (int each = 0; each < 3; each++) {
      *colors++ = (unsigned char)((row[each] * alpha + 255 * (255 - alpha)) / 255);
    }
  }
  return true;
}

static bool is_opaque(const void *picture, struct place size) {
  if (!pixbuf.has_alpha(picture)) return true;
  const unsigned char *row = pixbuf.pixels(picture);
  for (int y = 0; y < size.height; y++, row += pixbuf.row_bytes(picture)) {
    for (int x = 0; x < size.width; x++) {
      if (row[4 * x + 3] != 255) return false;
    }
  }
  return true;
}

static const unsigned char *refuse(char problem[OFFERS_PIXBUF_TEXT], const struct error *error) {
  snprintf(problem, OFFERS_PIXBUF_TEXT, "%s", error != NULL ? error->message : "it has no pixels");
  return NULL;
}

const unsigned char *offers_pixbuf_scale(
    const unsigned char *bytes, size_t count, const char *format, int width, int height,
    size_t *copy_count, unsigned char colors[OFFERS_PIXBUF_COLORS], char problem[OFFERS_PIXBUF_TEXT]) {
  if (!load()) {
    snprintf(problem, OFFERS_PIXBUF_TEXT, "gdk-pixbuf is not installed");
    return NULL;
  }
  struct place place = {width, height};
  struct error *error = NULL;
  void *loader = pixbuf.loader(format, &error);
  if (loader == NULL) return refuse(problem, error);
  pixbuf.connect(loader, "size-prepared", (callback)limit_size, &place, NULL, 0);
  if (!pixbuf.write(loader, bytes, count, &error)) return refuse(problem, error);
  if (!pixbuf.close(loader, &error)) return refuse(problem, error);
  void *picture = pixbuf.picture(loader);
  if (picture != NULL) picture = pixbuf.upright(picture);
  if (picture == NULL) return refuse(problem, NULL);

  struct place decoded = {pixbuf.width(picture), pixbuf.height(picture)};
  struct place size = fit(decoded.width, decoded.height, place);
  if (size.width != decoded.width || size.height != decoded.height) {
    // GDK_INTERP_BILINEAR
    picture = pixbuf.scale(picture, size.width, size.height, 2);
    if (picture == NULL) return refuse(problem, NULL);
  }
  if (!find_colors(picture, colors)) return refuse(problem, NULL);
  char *copy = NULL;
  char *names[] = {"quality", NULL}, *values[] = {"82", NULL}, *none[] = {NULL};
  int is_saved =
      is_opaque(picture, size)
          ? pixbuf.save(picture, &copy, copy_count, "jpeg", names, values, &error)
          : pixbuf.save(picture, &copy, copy_count, "png", none, none, &error);
  return is_saved ? (const unsigned char *)copy : refuse(problem, error);
}
