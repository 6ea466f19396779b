#define _GNU_SOURCE
#include "SpawnShim.h"

#include <errno.h>

#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif

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
