// Wraps sqlite3_db_config, a variadic function of SQLite, which Swift cannot call.
#ifndef OFFERS_SQLITE_SHIM_H
#define OFFERS_SQLITE_SHIM_H

#include <sqlite3.h>

/// Disables the checkpoint that SQLite runs when the last connection closes, because every
/// checkpoint must hold the write guard. Returns an SQLite result code.
/// https://sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfignockptonclose
int offers_disable_checkpoint_on_close(sqlite3 *connection);

/// Keeps triggers, views and constraints of the schema from calling functions and using virtual tables
/// that SQLite does not mark as innocuous, because the file may come from somebody else. Returns an
/// SQLite result code. https://sqlite.org/security.html
int offers_distrust_schema(sqlite3 *connection);

/// Whether the JSON functions can be used in a schema that is not trusted. SQLite 3.40.1 takes them for
/// unsafe by mistake. Tried on a database in memory.
int offers_can_distrust_schema(void);

/// Sets whether SQL statements are kept from changing the schema table, and the tables behind a virtual
/// table, directly. Returns an SQLite result code.
/// https://sqlite.org/c3ref/c_dbconfig_defensive.html#sqlitedbconfigdefensive
int offers_set_defensive(sqlite3 *connection, int is_defensive);

#endif
