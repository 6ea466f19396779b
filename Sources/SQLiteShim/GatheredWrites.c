#include "GatheredWrites.h"

#include <stdlib.h>
#include <string.h>

#include "OpenFile.h"

enum {
  // How much of the file a block stands for, from a multiple of it on.
  block_bytes = 512 << 10,
  // How much is written at once, from a multiple of it on, which the system finds memory of one piece
  // for. SQLite itself writes less than 128 KiB at a time, and takes 128 KiB for none.
  piece_bytes = 64 << 10,
  block_count = 2,
  run_limit = 64,
};

// Bytes of a block that are held, one behind the other.
typedef struct {
  int start, end;
} run;

typedef struct {
  sqlite3_int64 offset;
  // In their order, with gaps between them.
  run runs[run_limit];
  int run_count;
  // Made when something is held for the first time.
  unsigned char *bytes;
} block;

struct offers_gathering {
  offers_wrapper wrapper;
  block blocks[block_count];
  // The one that was written to last.
  int last;
  // The end of what was handed on last, without being held.
  sqlite3_int64 passed_end;
};

// What cannot be written stays held: SQLite was told that it is written, and whoever reads it, or
// would have it synchronized, is told of the failure as long as it lasts.
static int flush(offers_gathering *gathering, block *held) {
  for (int index = 0; index < held->run_count; index++) {
    run it = held->runs[index];
    while (it.start < it.end) {
      int end = (it.start / piece_bytes + 1) * piece_bytes;
      if (end > it.end) end = it.end;
      int code = gathering->wrapper.inner->xWrite(
          gathering->wrapper.file, held->bytes + it.start, end - it.start,
          held->offset + it.start);
      if (code != SQLITE_OK) return code;
      it.start = end;
    }
  }
  held->run_count = 0;
  return SQLITE_OK;
}

static int flush_all(offers_gathering *gathering) {
  for (int index = 0; index < block_count; index++) {
    int code = flush(gathering, &gathering->blocks[index]);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

// Adds bytes to what a block holds. False when there are too many gaps.
static int add_run(block *held, run added) {
  run *runs = held->runs;
  int first = held->run_count;
  while (first > 0 && runs[first - 1].end >= added.start) first--;
  int behind = first;
  while (behind < held->run_count && runs[behind].start <= added.end) {
    if (runs[behind].start < added.start) added.start = runs[behind].start;
    if (runs[behind].end > added.end) added.end = runs[behind].end;
    behind++;
  }
  int count = held->run_count - (behind - first) + 1;
  if (count > run_limit) return 0;
  memmove(
      runs + first + 1, runs + behind, (size_t)(held->run_count - behind) * sizeof *runs);
  runs[first] = added;
  held->run_count = count;
  return 1;
}

// The block that holds a place, or is to; NULL where it is not worth one.
static block *find_block(offers_gathering *gathering, sqlite3_int64 offset, int *code) {
  sqlite3_int64 start = offset / block_bytes * block_bytes;
  block *blocks = gathering->blocks;
  int lower = blocks[0].offset <= blocks[1].offset ? 0 : 1;
  int chosen = -1;
  for (int index = 0; index < block_count; index++) {
    if (blocks[index].run_count > 0 && blocks[index].offset == start) chosen = index;
  }
  if (chosen < 0) {
    if (blocks[0].run_count == 0 || blocks[1].run_count == 0) {
      chosen = blocks[0].run_count == 0 ? 0 : 1;
    } else if (start > blocks[1 - lower].offset) {
      // A page here and there comes late, to the end of what was written before.
      chosen = lower;
    } else if (start > blocks[lower].offset || offset == gathering->passed_end) {
      chosen = 1 - gathering->last;
    } else {
      return NULL;
    }
    *code = flush(gathering, &blocks[chosen]);
    if (*code != SQLITE_OK) return NULL;
    if (!blocks[chosen].bytes) blocks[chosen].bytes = malloc(block_bytes);
    if (!blocks[chosen].bytes) return NULL;
    blocks[chosen].offset = start;
  }
  gathering->last = chosen;
  return &blocks[chosen];
}

static int write_gathered(
    sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  offers_gathering *gathering = offers_wrapper_of(file);
  while (count > 0) {
    int start = (int)(offset % block_bytes);
    int part = count < block_bytes - start ? count : block_bytes - start;
    int code = SQLITE_OK;
    block *held = find_block(gathering, offset, &code);
    run added = {start, start + part};
    if (held && !add_run(held, added)) {
      code = flush(gathering, held);
      if (code == SQLITE_OK) add_run(held, added);
    }
    if (code == SQLITE_OK && held) {
      memcpy(held->bytes + start, bytes, (size_t)part);
    } else if (code == SQLITE_OK) {
      code = gathering->wrapper.inner->xWrite(file, bytes, part, offset);
      gathering->passed_end = offset + part;
    }
    if (code != SQLITE_OK) return code;
    bytes = (const unsigned char *)bytes + part;
    offset += part;
    count -= part;
  }
  return SQLITE_OK;
}

// Whether a block holds any of some bytes of the file.
static int holds_any(const block *held, sqlite3_int64 offset, int count) {
  for (int index = 0; index < held->run_count; index++) {
    if (held->offset + held->runs[index].start < offset + count &&
        offset < held->offset + held->runs[index].end) {
      return 1;
    }
  }
  return 0;
}

// Whatever else looks at the file, or lets others look at it, finds all of it there.
static int read_flushed(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  offers_gathering *gathering = offers_wrapper_of(file);
  for (int index = 0; index < block_count; index++) {
    block *held = &gathering->blocks[index];
    int code = holds_any(held, offset, count) ? flush(gathering, held) : SQLITE_OK;
    if (code != SQLITE_OK) return code;
  }
  return gathering->wrapper.inner->xRead(file, bytes, count, offset);
}

// What stands behind the end is not written first: for want of room it is cut off.
static int truncate_held(sqlite3_file *file, sqlite3_int64 size) {
  offers_gathering *gathering = offers_wrapper_of(file);
  for (int index = 0; index < block_count; index++) {
    block *held = &gathering->blocks[index];
    while (held->run_count > 0) {
      run *last = &held->runs[held->run_count - 1];
      if (held->offset + last->end <= size) break;
      if (held->offset + last->start < size) {
        last->end = (int)(size - held->offset);
        break;
      }
      held->run_count--;
    }
  }
  return gathering->wrapper.inner->xTruncate(file, size);
}

static int sync_flushed(sqlite3_file *file, int flags) {
  offers_gathering *gathering = offers_wrapper_of(file);
  int code = flush_all(gathering);
  return code != SQLITE_OK ? code : gathering->wrapper.inner->xSync(file, flags);
}

static int size_with_held(sqlite3_file *file, sqlite3_int64 *size) {
  offers_gathering *gathering = offers_wrapper_of(file);
  int code = gathering->wrapper.inner->xFileSize(file, size);
  for (int index = 0; code == SQLITE_OK && index < block_count; index++) {
    block *held = &gathering->blocks[index];
    if (held->run_count == 0) continue;
    sqlite3_int64 end = held->offset + held->runs[held->run_count - 1].end;
    if (*size < end) *size = end;
  }
  return code;
}

static int unlock_flushed(sqlite3_file *file, int level) {
  offers_gathering *gathering = offers_wrapper_of(file);
  int code = flush_all(gathering);
  int unlocked = gathering->wrapper.inner->xUnlock(file, level);
  return code != SQLITE_OK ? code : unlocked;
}

static int fetch_flushed(sqlite3_file *file, sqlite3_int64 offset, int count, void **bytes) {
  offers_gathering *gathering = offers_wrapper_of(file);
  int code = flush_all(gathering);
  return code != SQLITE_OK ? code : gathering->wrapper.inner->xFetch(file, offset, count, bytes);
}

offers_gathering *offers_gather_writes(sqlite3 *connection, int which) {
  offers_gathering *gathering = offers_wrap_file(connection, which, sizeof *gathering);
  if (!gathering) return NULL;
  gathering->passed_end = -1;
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

void offers_end_gathering(offers_gathering *gathering) {
  if (!gathering) return;
  for (int index = 0; index < block_count; index++) free(gathering->blocks[index].bytes);
  offers_unwrap_file(gathering);
}
