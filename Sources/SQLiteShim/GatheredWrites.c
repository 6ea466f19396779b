#include "GatheredWrites.h"

#include <string.h>

#include "OpenFile.h"

// SQLite writes less than 128 KiB at a time, and takes 128 KiB for none.
enum { capacity = 64 << 10 };

struct offers_gathering {
  offers_wrapper wrapper;
  // What is held, and where in the file it belongs.
  sqlite3_int64 start;
  int count;
  unsigned char bytes[capacity];
};

// What cannot be written stays held: SQLite was told that it is written, and whoever reads it, or
// would have it synchronized, is told of the failure as long as it lasts.
static int flush(offers_gathering *gathering) {
  if (gathering->count == 0) return SQLITE_OK;
  int code = gathering->wrapper.inner->xWrite(
      gathering->wrapper.file, gathering->bytes, gathering->count, gathering->start);
  if (code == SQLITE_OK) gathering->count = 0;
  return code;
}

static int write_gathered(
    sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  offers_gathering *gathering = offers_wrapper_of(file);
  if (offset != gathering->start + gathering->count || count > capacity - gathering->count) {
    int code = flush(gathering);
    if (code != SQLITE_OK) return code;
    if (count > capacity) return gathering->wrapper.inner->xWrite(file, bytes, count, offset);
    gathering->start = offset;
  }
  memcpy(gathering->bytes + gathering->count, bytes, (size_t)count);
  gathering->count += count;
  return SQLITE_OK;
}

// Whatever else looks at the file, or lets others look at it, finds all of it there.
static int read_flushed(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  offers_gathering *gathering = offers_wrapper_of(file);
  sqlite3_int64 end = gathering->start + gathering->count;
  int code = offset < end && gathering->start < offset + count ? flush(gathering) : SQLITE_OK;
  return code != SQLITE_OK ? code : gathering->wrapper.inner->xRead(file, bytes, count, offset);
}

// What stands behind the end is not written first: for want of room it is cut off.
static int truncate_held(sqlite3_file *file, sqlite3_int64 size) {
  offers_gathering *gathering = offers_wrapper_of(file);
  if (gathering->start + gathering->count > size) {
    gathering->count = gathering->start < size ? (int)(size - gathering->start) : 0;
  }
  return gathering->wrapper.inner->xTruncate(file, size);
}

static int sync_flushed(sqlite3_file *file, int flags) {
  offers_gathering *gathering = offers_wrapper_of(file);
  int code = flush(gathering);
  return code != SQLITE_OK ? code : gathering->wrapper.inner->xSync(file, flags);
}

static int size_with_held(sqlite3_file *file, sqlite3_int64 *size) {
  offers_gathering *gathering = offers_wrapper_of(file);
  int code = gathering->wrapper.inner->xFileSize(file, size);
  sqlite3_int64 end = gathering->start + gathering->count;
  if (code == SQLITE_OK && gathering->count > 0 && *size < end) *size = end;
  return code;
}

static int unlock_flushed(sqlite3_file *file, int level) {
  offers_gathering *gathering = offers_wrapper_of(file);
  int code = flush(gathering);
  int unlocked = gathering->wrapper.inner->xUnlock(file, level);
  return code != SQLITE_OK ? code : unlocked;
}

static int fetch_flushed(sqlite3_file *file, sqlite3_int64 offset, int count, void **bytes) {
  offers_gathering *gathering = offers_wrapper_of(file);
  int code = flush(gathering);
  return code != SQLITE_OK ? code : gathering->wrapper.inner->xFetch(file, offset, count, bytes);
}

offers_gathering *offers_gather_writes(sqlite3 *connection, int which) {
  offers_gathering *gathering = offers_wrap_file(connection, which, sizeof *gathering);
  if (!gathering) return NULL;
  sqlite3_io_methods *methods = &gathering->wrapper.methods;
  methods->xWrite = write_gathered;
  methods->xRead = read_flushed;
  methods->xTruncate = truncate_held;
  methods->xSync = sync_flushed;
  methods->xFileSize = size_with_held;
  methods->xUnlock = unlock_flushed;
  if (methods->iVersion >= 3 && methods->xFetch) methods->xFetch = fetch_flushed;
  return gathering;
}

void offers_end_gathering(offers_gathering *gathering) { offers_unwrap_file(gathering); }
