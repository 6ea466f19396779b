// The definitions, and the samples with their pictures, that ship with the program, embedded in it.
#ifndef EMBEDDED_FEEDS_H
#define EMBEDDED_FEEDS_H

/// Finds an embedded file by its name without its folder, such as "albums.yaml".
///
/// Returns its bytes, which live as long as the program, and stores their number in `count`.
/// Returns NULL when there is no such file; `count` is then unchanged.
const unsigned char *_Nullable embedded_feed_file(
  const char *_Nonnull name, unsigned long *_Nonnull count);

#endif
