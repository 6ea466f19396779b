// Decides which intercepted calls fail, kill the process, or find no room.
#include "campaign.h"
#include <pthread.h>
#include <signal.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct control *control;
static const char *folder, *database;
static size_t folder_length;
static bool has_room;

static struct { int kind; int64_t number; int error; char mode[8]; } failure = {.kind = -1};
static struct { int64_t number; char mode[8]; } death;
// The open file that holds byte 0 of the lock file, or -1.
static _Atomic int guard = -1;

static void read_settings(void) {
  const char *text, *name = getenv("CAMPAIGN_CONTROL");
  folder = getenv("CAMPAIGN_FOLDER");
  if (!folder || !name) { folder = NULL; return; }
  folder_length = strlen(folder);
  database = getenv("CAMPAIGN_DATABASE");
  long file = syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
  long place = file < 0 ? -1 : syscall(SYS_mmap, NULL, sizeof *control, PROT_READ | PROT_WRITE,
                                       MAP_SHARED, file, 0);
  if (file < 0 || place == -1) { folder = NULL; return; }
  syscall(SYS_close, file);
  control = (struct control *)place;
  if ((text = getenv("CAMPAIGN_FAIL")))
    sscanf(text, "%d %ld %d %7s", &failure.kind, &failure.number, &failure.error, failure.mode);
  if ((text = getenv("CAMPAIGN_KILL"))) sscanf(text, "%ld %7s", &death.number, death.mode);
  has_room = getenv("CAMPAIGN_ROOM") != NULL;
}

static void begin(struct call *call, enum kind kind) {
  call->kind = kind;
  call->error = 0;
  call->keep = -1;
  call->dies = false;
  call->is_inside = folder && !strncmp(call->path, folder, folder_length) &&
                    (call->path[folder_length] == '/' || call->path[folder_length] == 0);
}

void begin_path(struct call *call, enum kind kind, int at, const char *path) {
  int saved = errno;
  pthread_once(&once, read_settings);
  call->path[0] = 0;
  if (folder && path) {
    char parent[PATH_MAX] = "";
    if (path[0] != '/') {
      char link[40];
      if (at == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
      else snprintf(link, sizeof link, "/proc/self/fd/%d", at);
      ssize_t length = readlink(link, parent, sizeof parent - 2);
      if (length > 0) { parent[length] = '/'; parent[length + 1] = 0; }
      while (path[0] == '.' && path[1] == '/') path += 2;
    }
    snprintf(call->path, sizeof call->path, "%.*s%.*s", 2000, parent, 2000, path);
  }
  begin(call, kind);
  errno = saved;
}

void begin_file(struct call *call, enum kind kind, int file) {
  int saved = errno;
  pthread_once(&once, read_settings);
  call->path[0] = 0;
  if (folder) {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, call->path, sizeof call->path - 1);
    call->path[length > 0 ? length : 0] = 0;
  }
  begin(call, kind);
  errno = saved;
}

// Whether a path is the database, its log or its journal.
static bool is_guarded(const char *path) {
  size_t length = database ? strlen(database) : 0;
  if (!length || strncmp(path, database, length)) return false;
  const char *rest = path + length;
  return !*rest || !strcmp(rest, "-wal") || !strcmp(rest, "-journal");
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

// Decides about a call that would write `length` bytes and let its file grow by `growth`.
void decide(struct call *call, int64_t length, int64_t growth) {
  if (!call->is_inside) return;
  int64_t total = __atomic_add_fetch(&control->total, 1, __ATOMIC_SEQ_CST);
  int64_t number = __atomic_add_fetch(&control->kinds[call->kind], 1, __ATOMIC_SEQ_CST);

  bool changes = call->kind == WRITE || call->kind == TRUNCATE || call->kind == ALLOCATE;
  if (changes && guard < 0 && is_guarded(call->path))
    __atomic_fetch_add(&control->outside, 1, __ATOMIC_SEQ_CST);

  if (death.number && total == death.number) {
    if (!strcmp(death.mode, "before")) die();
    if (!strcmp(death.mode, "torn") && call->kind == WRITE) call->keep = length / 2;
    call->dies = true;
  }
  if ((int)call->kind == failure.kind) {
    bool is_first = number == failure.number, is_later = number > failure.number;
    if (!strcmp(failure.mode, "half")) {
      if (is_first && length > 1) call->keep = length / 2;
    } else if (is_first && !strcmp(failure.mode, "torn") && length > 1) {
      call->keep = length / 2;
      call->error = failure.error;
    } else if (is_first || (is_later && !strcmp(failure.mode, "always")))
      call->error = failure.error;
  }
  if (has_room && !call->error && growth > 0) {
    int64_t room = __atomic_sub_fetch(&control->room, growth, __ATOMIC_SEQ_CST);
    if (room < control->least_room) control->least_room = room;
    if (room < 0) {
      int64_t fits = length + room;
      __atomic_add_fetch(&control->room, fits > 0 && call->kind == WRITE ? -room : growth,
                         __ATOMIC_SEQ_CST);
      if (fits > 0 && call->kind == WRITE) call->keep = fits;
      else call->error = ENOSPC;
    }
  }
}

void end(struct call *call) {
  if (call->is_inside && call->dies) die();
}

// Gives room back, after a file was shortened or removed.
void take_back(int64_t bytes) {
  if (has_room && bytes > 0) __atomic_add_fetch(&control->room, bytes, __ATOMIC_SEQ_CST);
}

// Notes that the process has acquired or released a lock: byte 0 of the lock file is the guard.
void note_lock(int file, int command, const struct flock *range) {
  if (command != F_OFD_SETLK && command != F_OFD_SETLKW && command != F_SETLK) return;
  if (!range || range->l_start != 0) return;
  struct call call;
  begin_file(&call, OPEN, file);
  size_t length = database ? strlen(database) : 0;
  if (!length || strncmp(call.path, database, length) || strcmp(call.path + length, "-lock")) return;
  if (range->l_type == F_WRLCK) guard = file;
  else if (range->l_type == F_UNLCK && guard == file) guard = -1;
}

// Notes that an open file is closed, which releases its locks.
void note_close(int file) {
  if (guard == file) guard = -1;
}
