// Reaches what Swift cannot: a variadic call of SQLite.
#ifndef OFFERS_SQLITE_SHIM_H
#define OFFERS_SQLITE_SHIM_H

#include <sqlite3.h>

/// Keeps the last connection that closes from running a checkpoint of its own, so that every
/// checkpoint is one that the write guard knows about. Returns an SQLite result code.
/// https://sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose
int offers_disable_checkpoint_on_close(sqlite3 *connection);

#endif
