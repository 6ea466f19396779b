// Wraps sqlite3_config and sqlite3_db_config, variadic functions of SQLite, which Swift cannot call.
#ifndef OFFERS_SQLITE_SHIM_H
#define OFFERS_SQLITE_SHIM_H

#include <sqlite3.h>

/// Keeps SQLite from counting the memory that it allocates, for which all threads take one lock. It must be
/// called before any other function of SQLite. Returns an SQLite result code.
/// https://sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus
int offers_disable_memory_statistics(void);

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
