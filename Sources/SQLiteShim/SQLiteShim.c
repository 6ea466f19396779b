#include "SQLiteShim.h"

int offers_disable_checkpoint_on_close(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

int offers_distrust_schema(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

int offers_can_distrust_schema(void) {
  sqlite3 *connection = 0;
  int code = sqlite3_open_v2(":memory:", &connection,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, 0);
  if (code == SQLITE_OK) code = offers_distrust_schema(connection);
  if (code == SQLITE_OK) {
    code = sqlite3_exec(connection,
                        "CREATE TABLE t (x CHECK (json_valid(x)));"
                        "CREATE VIEW v AS SELECT json_extract(x, '$[0]') AS y, value FROM t, json_each(x);"
                        "INSERT INTO t VALUES ('[1]'); SELECT y, value FROM v;",
                        0, 0, 0);
  }
  sqlite3_close(connection);
  return code == SQLITE_OK;
}

int offers_set_defensive(sqlite3 *connection, int is_defensive) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, is_defensive, (int *)0);
}
