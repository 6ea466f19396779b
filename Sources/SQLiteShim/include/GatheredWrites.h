// Writes a database or its log in large pieces while much of it is written in order.
#ifndef OFFERS_GATHERED_WRITES_H
#define OFFERS_GATHERED_WRITES_H

#include <sqlite3.h>

/// What a connection has written to one of its files and not yet handed to the system: pages that
/// lie near to one another, 1 MiB at most.
typedef struct offers_gathering offers_gathering;

/// Gathers what a connection writes to a file from now on. SQLite hands over one page at a time, and
/// a page of its own costs the system twice as much as a part of a large piece.
///
/// All of it is in the file before it is read there, before the file is synchronized, and before its
/// lock is given up. A failure to write is told by whichever of these finds it, as SQLite's own writes
/// tell theirs.
///
/// The file is that of the database, SQLITE_FCNTL_FILE_POINTER, where a rollback journal makes a
/// page that is not there yet as good as one that is; or its log, SQLITE_FCNTL_JOURNAL_POINTER,
/// where commits wait for the disk: SQLite tells others of what stands in the log when that is
/// synchronized. The connection must not be closed meanwhile, nor its journal be another. Returns
/// NULL where nothing is gathered: for want of memory or of a file, and where it is read ahead.
/// https://sqlite.org/c3ref/io_methods.html
offers_gathering *offers_gather_writes(sqlite3 *connection, int which);

/// Gathers no more. For the end of a transaction, before another one can begin: what a commit wrote
/// is synchronized then, and what is still held belongs to one that was taken back. In a log it must
/// not be written any more, where another program's commit may stand. Does nothing with NULL.
void offers_end_gathering(offers_gathering *gathering);

#endif
