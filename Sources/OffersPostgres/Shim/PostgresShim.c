#include "PostgresShim.h"

#include <errno.h>
#include <poll.h>

OFFERS_DEFINE_LIBRARY(
    offers_libpq, libpq, OFFERS_LIBPQ_FUNCTIONS, "libpq.so.5", "libpq.5.dylib")

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
