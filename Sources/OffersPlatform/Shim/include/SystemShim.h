// Calls and numbers that the system's headers declare only with _GNU_SOURCE, which Swift's modules of these
// headers do not define, or that not every system has.
#ifndef OFFERS_SYSTEM_SHIM_H
#define OFFERS_SYSTEM_SHIM_H

#include "SharedLibrary.h"

/// The command of fcntl that sets a lock: F_OFD_SETLK, or F_SETLK on a system without it.
int offers_set_lock_command(void);

/// The command of fcntl that finds a lock: F_OFD_GETLK, or F_GETLK on a system without it.
int offers_find_lock_command(void);

/// Renames a file and fails with EEXIST if the new name exists: renameat2 with RENAME_NOREPLACE, or
/// link and unlink where the system or the file system does not have it.
int offers_rename_exclusively(const char *from, const char *to);

/// Opens a file without a name in a folder (O_TMPFILE). Fails with ENOSYS, EOPNOTSUPP, EISDIR or
/// EINVAL where the system or the file system does not have such files.
int offers_open_unnamed(const char *folder);

#endif
