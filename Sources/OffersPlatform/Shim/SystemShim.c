#define _GNU_SOURCE
#include "SystemShim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif

#if defined(F_OFD_SETLK) && defined(F_OFD_GETLK)
int offers_set_lock_command(void) { return F_OFD_SETLK; }
int offers_find_lock_command(void) { return F_OFD_GETLK; }
#else
int offers_set_lock_command(void) { return F_SETLK; }
int offers_find_lock_command(void) { return F_GETLK; }
#endif

int offers_rename_exclusively(const char *from, const char *to) {
#if defined(__APPLE__)
  return renamex_np(from, to, RENAME_EXCL);
#else
#if defined(RENAME_NOREPLACE) && __GLIBC_PREREQ(2, 28)
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != ENOSYS && errno != EINVAL) return -1;
#endif
  if (link(from, to) != 0) return -1;
  return unlink(from);
#endif
}

int offers_open_unnamed(const char *folder) {
#if defined(O_TMPFILE)
  return open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
#else
  (void)folder;
  errno = ENOSYS;
  return -1;
#endif
}
