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

int offers_spawn_change_folder(posix_spawn_file_actions_t *actions, const char *folder) {
#if __GLIBC_PREREQ(2, 29)
  return posix_spawn_file_actions_addchdir_np(actions, folder);
#else
  (void)actions, (void)folder;
  return ENOSYS;
#endif
}

int offers_spawn_close_from(posix_spawn_file_actions_t *actions, int lowest) {
#if __GLIBC_PREREQ(2, 34)
  return posix_spawn_file_actions_addclosefrom_np(actions, lowest);
#else
  (void)actions, (void)lowest;
  return ENOSYS;
#endif
}
