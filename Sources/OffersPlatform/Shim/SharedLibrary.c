#include "SharedLibrary.h"

#include <dlfcn.h>

bool offers_open_library(
    const char *const *files, const char *const *names, void **addresses, const char **problem) {
  void *library = NULL;
  *problem = NULL;
  for (; library == NULL && *files != NULL; files++) {
    library = dlopen(*files, RTLD_NOW | RTLD_LOCAL);
    // The message about the first file is the one that helps on Linux.
    if (library == NULL && *problem == NULL) *problem = dlerror();
  }
  if (library == NULL) return false;
  for (size_t place = 0; names[place] != NULL; place++) {
    addresses[place] = dlsym(library, names[place]);
    if (addresses[place] == NULL) {
      *problem = dlerror();
      return false;
    }
  }
  return true;
}
