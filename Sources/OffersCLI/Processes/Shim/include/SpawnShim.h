// Calls that the system's headers declare only with _GNU_SOURCE, which Swift's modules of these headers
// do not define.
#ifndef OFFERS_SPAWN_SHIM_H
#define OFFERS_SPAWN_SHIM_H

#include <spawn.h>

/// posix_spawn_file_actions_addchdir_np; returns ENOSYS without glibc 2.29.
int offers_spawn_change_folder(posix_spawn_file_actions_t *actions, const char *folder);

/// posix_spawn_file_actions_addclosefrom_np; returns ENOSYS without glibc 2.34.
int offers_spawn_close_from(posix_spawn_file_actions_t *actions, int lowest);

#endif
