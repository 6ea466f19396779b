#include "ReadAhead.h"

#include <string.h>

#include "OpenFile.h"

// SQLite reads less than 128 KiB at a time.
enum { capacity = 64 << 10, near = 4 * capacity };

struct offers_read_ahead {
  offers_wrapper wrapper;
  // What is held, and where in the file it stands.
  sqlite3_int64 start;
  int count;
  // Where the last read ended.
  sqlite3_int64 end;
  unsigned char bytes[capacity];
};

static int read_ahead(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  offers_read_ahead *ahead = offers_wrapper_of(file);
  sqlite3_int64 distance = offset - ahead->end;
  ahead->end = offset + count;
  int isHeld = offset >= ahead->start && ahead->end <= ahead->start + ahead->count;
  if (!isHeld && distance >= 0 && distance <= near && count < capacity) {
    ahead->start = offset;
    ahead->count = 0;
    // Not near the end of the file, where less is there than asked for.
    if (ahead->wrapper.inner->xRead(file, ahead->bytes, capacity, offset) == SQLITE_OK) {
      ahead->count = capacity;
      isHeld = 1;
    }
  }
  if (!isHeld) return ahead->wrapper.inner->xRead(file, bytes, count, offset);
  memcpy(bytes, ahead->bytes + (offset - ahead->start), (size_t)count);
  return SQLITE_OK;
}

static int write_and_forget(
    sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  offers_read_ahead *ahead = offers_wrapper_of(file);
  ahead->count = 0;
  return ahead->wrapper.inner->xWrite(file, bytes, count, offset);
}

offers_read_ahead *offers_begin_read_ahead(sqlite3 *connection) {
  offers_read_ahead *ahead =
      offers_wrap_file(connection, SQLITE_FCNTL_FILE_POINTER, sizeof *ahead);
  if (!ahead) return NULL;
  ahead->wrapper.methods.xRead = read_ahead;
  ahead->wrapper.methods.xWrite = write_and_forget;
  return ahead;
}

void offers_end_read_ahead(offers_read_ahead *ahead) { offers_unwrap_file(ahead); }
