// Wraps a variadic function of SQLite, which Swift cannot call.
#ifndef OFFERS_SQLITE_SHIM_H
#define OFFERS_SQLITE_SHIM_H

#include <sqlite3.h>

/// Disables the checkpoint that SQLite runs when the last connection closes, because every
/// checkpoint must hold the write guard. Returns an SQLite result code.
/// https://sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose
int offers_disable_checkpoint_on_close(sqlite3 *connection);

#endif
