#include <spawn.h>

// The system headers declare these only with _GNU_SOURCE, which Swift's Clang importer does not define.
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
