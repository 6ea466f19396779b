// The files of the pages and of the API, embedded in the program.
#ifndef EMBEDDED_PAGES_H
#define EMBEDDED_PAGES_H

/// Finds an embedded file by its name without its folder, such as "openapi.json".
///
/// Returns its bytes, which live as long as the program, and stores their number in `count`.
/// Returns NULL, and leaves `count` unchanged, if there is no such file.
const unsigned char *_Nullable embedded_page_file(
  const char *_Nonnull name, unsigned long *_Nonnull count);

/// The name of an embedded file by its index; NULL behind the last one.
const char *_Nullable embedded_page_name(unsigned long index);

#endif
