#include "SQLiteShim.h"

int offers_disable_checkpoint_on_close(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

int offers_distrust_schema(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

int offers_set_defensive(sqlite3 *connection, int is_defensive) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, is_defensive, (int *)0);
}
