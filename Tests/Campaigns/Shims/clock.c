// Adds CAMPAIGN_CLOCK seconds to the wall clock. The clocks that measure durations stay as they are.
#include "campaign.h"
#include <pthread.h>
#include <sys/time.h>
#include <time.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static long offset;

static void read_offset(void) {
  const char *text = getenv("CAMPAIGN_CLOCK");
  if (text) offset = atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *result) {
  pthread_once(&once, read_offset);
  long status = syscall(SYS_clock_gettime, clock, result);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    result->tv_sec += offset;
  return (int)status;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
