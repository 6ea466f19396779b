// A file that SQLite has open.
#ifndef OFFERS_OPEN_FILE_H
#define OFFERS_OPEN_FILE_H

#include <sqlite3.h>
#include <stddef.h>

/// A connection's file, by the opcode of sqlite3_file_control that asks for it; NULL where it has
/// none open.
static inline sqlite3_file *offers_open_file(sqlite3 *connection, int which) {
  sqlite3_file *file = NULL;
  int code = sqlite3_file_control(connection, "main", which, &file);
  return code == SQLITE_OK && file && file->pMethods ? file : NULL;
}

#endif
