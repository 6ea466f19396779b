// Appends each change below the folder to CAMPAIGN_RECORD: a line of text, then its bytes if it is a
// write. The campaign of power cuts builds the states of the disk from it.
#include "campaign.h"
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long file = -1;

static void open_record(void) {
  const char *name = getenv("CAMPAIGN_RECORD");
  if (name) file = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_APPEND | O_CLOEXEC);
}

bool is_recording(void) {
  pthread_once(&once, open_record);
  return file >= 0;
}

// The lock is held from before a change until it is recorded, so that the order is the disk's.
void lock_record(void) {
  if (is_recording()) pthread_mutex_lock(&mutex);
}

void unlock_record(void) {
  if (is_recording()) pthread_mutex_unlock(&mutex);
}

void record(const char *name, int64_t number, int64_t first, int64_t second, const char *path,
            const char *other, const void *bytes, size_t count) {
  if (!is_recording()) return;
  int saved = errno;
  char line[2 * PATH_MAX + 128];
  int length = snprintf(line, sizeof line, "%s\t%ld\t%ld\t%ld\t%s\t%s\n", name, number, first,
                        second, path, other ? other : "");
  struct iovec parts[2] = {{line, (size_t)length}, {(void *)bytes, count}};
  syscall(SYS_writev, file, parts, bytes ? 2 : 1);
  errno = saved;
}
