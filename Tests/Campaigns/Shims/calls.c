// The calls of libc that are intercepted. Each asks policy.c what becomes of it, makes the system
// call, and records the change. Syncs are counted and recorded, and not performed: the campaigns cut
// no real power.
#include "campaign.h"
#include <stdarg.h>

static int64_t size_of(int file, int64_t *number) {
  struct stat information;
  int saved = errno;
  int64_t size = 0;
  *number = 0;
  if (fstat(file, &information) == 0) {
    size = S_ISREG(information.st_mode) ? information.st_size : 0;
    *number = (int64_t)information.st_ino;
  }
  errno = saved;
  return size;
}

static int64_t number_of(int folder, const char *path, int64_t *freed) {
  struct stat information;
  int saved = errno;
  int64_t number = 0;
  if (freed) *freed = 0;
  if (fstatat(folder, path, &information, AT_SYMLINK_NOFOLLOW) == 0) {
    number = (int64_t)information.st_ino;
    if (freed && information.st_nlink == 1) *freed = information.st_size;
  }
  errno = saved;
  return number;
}

static long fail(struct call *call) {
  errno = call->error;
  int saved = errno;
  end(call);
  errno = saved;
  return -1;
}

// The room that a new file takes in its folder.
enum { ENTRY = 512 };

static int open_file(int folder, const char *path, int flags, mode_t mode) {
  bool makes = (flags & O_TMPFILE) == O_TMPFILE;
  if (!makes && (flags & O_CREAT)) makes = faccessat(folder, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
  struct call call;
  begin_path(&call, makes ? CREATE : OPEN, folder, path);
  decide(&call, 0, makes ? ENTRY : 0);
  if (call.error) return (int)fail(&call);
  if (!call.is_inside) return (int)syscall(SYS_openat, folder, path, flags, mode);
  lock_record();
  int64_t freed = 0, number;
  if (flags & O_TRUNC) number_of(folder, path, &freed);
  int file = (int)syscall(SYS_openat, folder, path, flags, mode);
  int saved = errno;
  if (file >= 0) {
    size_of(file, &number);
    bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    if (makes) record("create", number, 0, 0, is_unnamed ? "" : call.path, NULL, NULL, 0);
    else if (flags & O_TRUNC) {
      take_back(freed);
      record("truncate", number, 0, 0, call.path, NULL, NULL, 0);
    }
  }
  unlock_record();
  end(&call);
  errno = saved;
  return file;
}

static mode_t mode_of(int flags, va_list list) {
  return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

#define DEFINE_OPEN(name)                                  \
  int name(const char *path, int flags, ...) {             \
    va_list list;                                          \
    va_start(list, flags);                                 \
    mode_t mode = mode_of(flags, list);                    \
    va_end(list);                                          \
    return open_file(AT_FDCWD, path, flags, mode);         \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name)                                \
  int name(int folder, const char *path, int flags, ...) { \
    va_list list;                                          \
    va_start(list, flags);                                 \
    mode_t mode = mode_of(flags, list);                    \
    va_end(list);                                          \
    return open_file(folder, path, flags, mode);           \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

// Writes at an offset, or at the file's own position if the offset is negative.
static ssize_t write_at(int file, const void *bytes, size_t count, int64_t offset) {
  struct call call;
  begin_file(&call, WRITE, file);
  if (!call.is_inside)
    return offset < 0 ? syscall(SYS_write, file, bytes, count)
                      : syscall(SYS_pwrite64, file, bytes, count, offset);
  lock_record();
  int64_t number, size = size_of(file, &number);
  int64_t start = offset;
  if (start < 0) {
    int flags = (int)syscall(SYS_fcntl, file, F_GETFL, 0);
    start = flags & O_APPEND ? size : lseek(file, 0, SEEK_CUR);
  }
  int64_t growth = start + (int64_t)count - size;
  decide(&call, (int64_t)count, growth > 0 ? growth : 0);
  ssize_t done = -1;
  size_t kept = call.keep >= 0 ? (size_t)call.keep : count;
  if (!call.error || call.keep > 0) {
    done = offset < 0 ? syscall(SYS_write, file, bytes, kept)
                      : syscall(SYS_pwrite64, file, bytes, kept, offset);
    if (done > 0) record("write", number, start, done, call.path, NULL, bytes, (size_t)done);
  }
  int saved = errno;
  unlock_record();
  end(&call);
  errno = call.error ? call.error : saved;
  return call.error ? -1 : done;
}

ssize_t write(int file, const void *bytes, size_t count) { return write_at(file, bytes, count, -1); }

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return write_at(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return write_at(file, bytes, count, offset);
}

// Writes below the folder are made part by part, so that each is counted and recorded.
ssize_t writev(int file, const struct iovec *parts, int count) {
  struct call call;
  begin_file(&call, WRITE, file);
  if (!call.is_inside) return syscall(SYS_writev, file, parts, count);
  ssize_t whole = 0;
  for (int place = 0; place < count; place++) {
    if (!parts[place].iov_len) continue;
    ssize_t done = write_at(file, parts[place].iov_base, parts[place].iov_len, -1);
    if (done < 0) return whole ? whole : -1;
    whole += done;
    if ((size_t)done < parts[place].iov_len) break;
  }
  return whole;
}

static int truncate_file(int file, int64_t length) {
  struct call call;
  begin_file(&call, TRUNCATE, file);
  if (!call.is_inside) return (int)syscall(SYS_ftruncate, file, length);
  lock_record();
  int64_t number, size = size_of(file, &number);
  decide(&call, 0, 0);
  int status = call.error ? -1 : (int)syscall(SYS_ftruncate, file, length);
  int saved = call.error ? call.error : errno;
  if (status == 0) {
    take_back(size - length);
    record("truncate", number, length, 0, call.path, NULL, NULL, 0);
  }
  unlock_record();
  end(&call);
  errno = saved;
  return status;
}

int ftruncate(int file, off_t length) { return truncate_file(file, length); }
int ftruncate64(int file, off64_t length) { return truncate_file(file, length); }

static int sync_file(int file, long system_call) {
  struct call call;
  begin_file(&call, SYNC, file);
  if (!call.is_inside) return (int)syscall(system_call, file);
  lock_record();
  decide(&call, 0, 0);
  if (!call.error) {
    int64_t number;
    size_of(file, &number);
    record("sync", number, 0, 0, call.path, NULL, NULL, 0);
  }
  unlock_record();
  if (call.error) return (int)fail(&call);
  end(&call);
  return 0;
}

int fsync(int file) { return sync_file(file, SYS_fsync); }
int fdatasync(int file) { return sync_file(file, SYS_fdatasync); }

int fallocate(int file, int mode, off_t offset, off_t length) {
  struct call call;
  begin_file(&call, ALLOCATE, file);
  int64_t number, growth = offset + length - size_of(file, &number);
  decide(&call, 0, growth > 0 ? growth : 0);
  if (call.error) return (int)fail(&call);
  int status = (int)syscall(SYS_fallocate, file, mode, offset, length);
  if (call.is_inside && status == 0 && growth > 0 && !(mode & FALLOC_FL_KEEP_SIZE))
    record("truncate", number, offset + length, 0, call.path, NULL, NULL, 0);
  end(&call);
  return status;
}

static int rename_file(int from_folder, const char *from, int to_folder, const char *to,
                       unsigned flags) {
  struct call call, target;
  begin_path(&call, RENAME, from_folder, from);
  begin_path(&target, RENAME, to_folder, to);
  if (target.is_inside) call.is_inside = true;
  decide(&call, 0, 0);
  if (call.error) return (int)fail(&call);
  lock_record();
  int64_t freed;
  number_of(to_folder, to, &freed);
  int status = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  int saved = errno;
  if (call.is_inside && status == 0) {
    take_back(freed);
    record(flags & RENAME_EXCHANGE ? "exchange" : "rename", 0, 0, 0, call.path, target.path, NULL, 0);
  }
  unlock_record();
  end(&call);
  errno = saved;
  return status;
}

int rename(const char *from, const char *to) { return rename_file(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return rename_file(a, from, b, to, 0); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  return rename_file(a, from, b, to, flags);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  struct call call;
  begin_path(&call, LINK, to_folder, to);
  decide(&call, 0, ENTRY);
  if (call.error) return (int)fail(&call);
  lock_record();
  int status = (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
  int saved = errno;
  if (call.is_inside && status == 0)
    record("link", number_of(to_folder, to, NULL), 0, 0, call.path, NULL, NULL, 0);
  unlock_record();
  end(&call);
  errno = saved;
  return status;
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int folder, const char *path, int flags) {
  struct call call;
  begin_path(&call, UNLINK, folder, path);
  decide(&call, 0, 0);
  if (call.error) return (int)fail(&call);
  lock_record();
  int64_t freed;
  number_of(folder, path, &freed);
  int status = (int)syscall(SYS_unlinkat, folder, path, flags);
  int saved = errno;
  if (call.is_inside && status == 0) {
    take_back(freed);
    record("unlink", 0, 0, 0, call.path, NULL, NULL, 0);
  }
  unlock_record();
  end(&call);
  errno = saved;
  return status;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int mkdirat(int folder, const char *path, mode_t mode) {
  struct call call;
  begin_path(&call, FOLDER, folder, path);
  decide(&call, 0, 0);
  if (call.error) return (int)fail(&call);
  lock_record();
  int status = (int)syscall(SYS_mkdirat, folder, path, mode);
  int saved = errno;
  if (call.is_inside && status == 0)
    record("folder", number_of(folder, path, NULL), 0, 0, call.path, NULL, NULL, 0);
  unlock_record();
  end(&call);
  errno = saved;
  return status;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

static void *map_file(void *place, size_t length, int protection, int flags, int file, off_t offset) {
  if (file >= 0 && !(flags & MAP_ANONYMOUS) && protection & PROT_WRITE && flags & MAP_SHARED) {
    struct call call;
    begin_file(&call, MAP, file);
    decide(&call, 0, 0);
    if (call.error) return (void *)fail(&call);
    end(&call);
  }
  return (void *)syscall(SYS_mmap, place, length, protection, flags, file, offset);
}

void *mmap(void *place, size_t length, int protection, int flags, int file, off_t offset) {
  return map_file(place, length, protection, flags, file, offset);
}

void *mmap64(void *place, size_t length, int protection, int flags, int file, off64_t offset) {
  return map_file(place, length, protection, flags, file, offset);
}

static int control_file(int file, int command, void *argument) {
  int status = (int)syscall(SYS_fcntl, file, command, argument);
  if (status == 0) note_lock(file, command, argument);
  return status;
}

#define DEFINE_FCNTL(name)                         \
  int name(int file, int command, ...) {           \
    va_list list;                                  \
    va_start(list, command);                       \
    void *argument = va_arg(list, void *);         \
    va_end(list);                                  \
    return control_file(file, command, argument);  \
  }
DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)

int close(int file) {
  note_close(file);
  return (int)syscall(SYS_close, file);
}
