// Reads a database in large pieces while its pages are asked for in order.
#ifndef OFFERS_READ_AHEAD_H
#define OFFERS_READ_AHEAD_H

#include <sqlite3.h>

/// What was read of a connection's database and not yet asked for, 64 KiB at most.
typedef struct offers_read_ahead offers_read_ahead;

/// Reads ahead where a connection asks for one page of its database and then for one not far behind
/// it. SQLite asks for one page at a time, which costs the system twice as much.
///
/// For the length of one transaction: what it finds in the file stays there until it ends, because
/// nothing that it does not find in the log is written over. The connection must not be closed
/// meanwhile. Returns NULL where nothing is read ahead: for want of memory or of a file, and where
/// its writes are gathered.
/// https://sqlite.org/c3ref/io_methods.html
offers_read_ahead *offers_begin_read_ahead(sqlite3 *connection);

/// Reads ahead no more. Does nothing with NULL.
void offers_end_read_ahead(offers_read_ahead *ahead);

#endif
