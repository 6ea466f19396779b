#include "SQLiteShim.h"

#include "OpenFile.h"

int offers_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

int offers_disable_checkpoint_on_close(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

int offers_read_start(const char *path, unsigned char *bytes, int count) {
  sqlite3 *connection = (sqlite3 *)0;
  int code = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, (const char *)0);
  if (code == SQLITE_OK) {
    sqlite3_file *file = offers_open_file(connection, SQLITE_FCNTL_FILE_POINTER);
    code = file ? file->pMethods->xRead(file, bytes, count, 0) : SQLITE_CANTOPEN;
    if (code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;
  }
  sqlite3_close(connection);
  return code;
}
