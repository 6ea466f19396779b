#include "PostgresShim.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>

static struct offers_libpq functions;
static bool is_loaded;

const struct offers_libpq *offers_libpq_load(const char **problem) {
  // The name of the library on Linux, then on Darwin.
  static const char *const names[] = {"libpq.so.5", "libpq.5.dylib"};
  *problem = NULL;
  if (is_loaded) return &functions;
  void *library = NULL;
  for (size_t place = 0; library == NULL && place < sizeof names / sizeof *names; place++) {
    library = dlopen(names[place], RTLD_NOW | RTLD_LOCAL);
    // The message about the first name is the one that helps on Linux.
    if (library == NULL && *problem == NULL) *problem = dlerror();
  }
  if (library == NULL) return NULL;
#define OFFERS_LIBPQ_LOAD(name)                                 \
  functions.name = (__typeof__(&name))dlsym(library, #name);    \
  if (functions.name == NULL) {                                 \
    *problem = "it lacks the function " #name;                  \
    return NULL;                                                \
  }
  OFFERS_LIBPQ_FUNCTIONS(OFFERS_LIBPQ_LOAD)
#undef OFFERS_LIBPQ_LOAD
  is_loaded = true;
  return &functions;
}

static void discard(void *context, const char *message) {
  (void)context;
  (void)message;
}

void offers_libpq_discard_notices(const struct offers_libpq *library, PGconn *connection) {
  library->PQsetNoticeProcessor(connection, discard, NULL);
}

int offers_wait_for_socket(int socket, bool writable, int milliseconds) {
  struct pollfd entry = {.fd = socket, .events = POLLIN | (writable ? POLLOUT : 0)};
  int count = poll(&entry, 1, milliseconds);
  return count < 0 && errno == EINTR ? 0 : count;
}
