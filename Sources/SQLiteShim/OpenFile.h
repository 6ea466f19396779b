// A file that SQLite has open, and a wrapper around its methods.
#ifndef OFFERS_OPEN_FILE_H
#define OFFERS_OPEN_FILE_H

#include <sqlite3.h>
#include <stddef.h>

/// A connection's file, by the opcode of sqlite3_file_control that asks for it; NULL where it has
/// none open.
sqlite3_file *offers_open_file(sqlite3 *connection, int which);

/// What stands in the place of a file's methods for a while, and does some of them otherwise. The
/// first member of whatever these need besides.
/// https://sqlite.org/c3ref/io_methods.html
typedef struct {
  // The file finds its wrapper by these: they come first.
  sqlite3_io_methods methods;
  const sqlite3_io_methods *inner;
  sqlite3_file *file;
} offers_wrapper;

/// Makes a wrapper of `size` bytes, zero behind what all have, and puts it around a connection's file.
/// It does all methods as the file does, until they are set to others. NULL for want of memory or of
/// a file, and where there is one already: no other would find its own.
void *offers_wrap_file(sqlite3 *connection, int which, size_t size);

/// Takes a wrapper away and frees it. Does nothing with NULL.
void offers_unwrap_file(void *wrapper);

/// The wrapper of a file that has one.
static inline void *offers_wrapper_of(sqlite3_file *file) { return (void *)file->pMethods; }

#endif
