// The parts of the library that the campaigns load into the program under test with LD_PRELOAD. It
// intercepts the calls that change files, counts those below one folder, and lets them fail or kills
// the process at one of them, bounds the bytes that they may add, or records them.
//
// All settings are environment variables:
//   CAMPAIGN_FOLDER    the folder whose files count; without it nothing is intercepted
//   CAMPAIGN_CONTROL   a file of sizeof(struct control) bytes, shared by all processes of a run
//   CAMPAIGN_DATABASE  the database whose writes must happen under its write guard
//   CAMPAIGN_FAIL      "KIND N ERRNO once|always|half|torn": the Nth call of a kind fails
//   CAMPAIGN_KILL      "N before|after|torn": SIGKILL at the Nth intercepted call
//   CAMPAIGN_ROOM      "1": files may grow only by the bytes in the control file
//   CAMPAIGN_RECORD    the file to which each change is appended
//   CAMPAIGN_CLOCK     seconds that are added to the wall clock
#ifndef CAMPAIGN_H
#define CAMPAIGN_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The kinds of calls; program.py has the same list.
enum kind { OPEN, CREATE, WRITE, SYNC, TRUNCATE, RENAME, LINK, UNLINK, ALLOCATE, MAP, FOLDER, KINDS };

// The counts of a run, and the room that is left. program.py reads and writes it.
struct control {
  int64_t total;
  int64_t kinds[KINDS];
  int64_t room;
  int64_t least_room;
  int64_t outside;
};

// One intercepted call, from its start to its end.
struct call {
  enum kind kind;
  bool is_inside;        // whether its file is below CAMPAIGN_FOLDER
  int error;             // the errno that it fails with, or 0
  long keep;             // the bytes to write, or -1 for all
  bool dies;             // whether the process is killed after it
  char path[PATH_MAX];
};

// policy.c: decides what becomes of a call.
void begin_path(struct call *call, enum kind kind, int folder, const char *path);
void begin_file(struct call *call, enum kind kind, int file);
void decide(struct call *call, int64_t length, int64_t growth);
void end(struct call *call);
void take_back(int64_t bytes);
void note_lock(int file, int command, const struct flock *range);
void note_close(int file);

// record.c: appends the changes to CAMPAIGN_RECORD.
bool is_recording(void);
void lock_record(void);
void unlock_record(void);
void record(const char *name, int64_t file, int64_t first, int64_t second, const char *path,
            const char *other, const void *bytes, size_t count);

#endif
