// Reaches what Swift cannot: a variadic call, and SQLite's own file.
#ifndef OFFERS_SQLITE_SHIM_H
#define OFFERS_SQLITE_SHIM_H

#include <sqlite3.h>

#include "GatheredWrites.h"
#include "ReadAhead.h"

/// Keeps SQLite from counting the memory that it uses, for which it takes a lock each time it asks for
/// some. For all of the process, and only before anything else of SQLite. Returns an SQLite result
/// code. https://sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus
int offers_count_no_memory(void);

/// Keeps the last connection that closes from running a checkpoint of its own, so that every
/// checkpoint is one that the write guard knows about. Returns an SQLite result code.
/// https://sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose
int offers_disable_checkpoint_on_close(sqlite3 *connection);

/// Reads the first bytes of a file, the rest zero. It goes by SQLite's own
/// file: POSIX locks belong to the process, and closing any other descriptor of a database would
/// drop the locks that its open connections hold. https://sqlite.org/howtocorrupt.html
/// Returns an SQLite result code; a missing file is SQLITE_CANTOPEN.
int offers_read_start(const char *path, unsigned char *bytes, int count);

#endif
