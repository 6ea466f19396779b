// Shared libraries that are opened when they are first needed: a start that does not need one does not wait for
// it, nor for the libraries that it needs in turn.
//
// A shim lists the functions that it needs as a macro, which applies another one to each name:
//
//     #define OFFERS_LIBX_FUNCTIONS(F) F(x_open) F(x_close)
//     OFFERS_DECLARE_LIBRARY(offers_libx, OFFERS_LIBX_FUNCTIONS)
//
// in its header, and in its source file
//
//     OFFERS_DEFINE_LIBRARY(offers_libx, libx, OFFERS_LIBX_FUNCTIONS, "libx.so.1", "libx.1.dylib")
//
// declares and defines `const struct offers_libx *offers_libx_open(const char **problem)`.
#ifndef OFFERS_SHARED_LIBRARY_H
#define OFFERS_SHARED_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/// Opens the first of some files that exists, and writes the addresses of named functions in their order. Both
/// lists end with NULL. Returns false with the linker's message, which stays valid, in `*problem`.
bool offers_open_library(
    const char *_Nullable const *_Nonnull files, const char *_Nullable const *_Nonnull names,
    void *_Nullable *_Nonnull addresses, const char *_Nullable *_Nonnull problem);

// `__typeof__` gives each function its type from the library's own header.
#define OFFERS_LIBRARY_MEMBER(name) __typeof__(&name) _Nonnull name;
#define OFFERS_LIBRARY_NAME(name) #name,

#define OFFERS_DECLARE_LIBRARY(library, FUNCTIONS)                                           \
  struct library {                                                                           \
    FUNCTIONS(OFFERS_LIBRARY_MEMBER)                                                         \
  };                                                                                         \
  /* Opens the library on the first call. Calls must not overlap. */                         \
  const struct library *_Nullable library##_open(const char *_Nullable *_Nonnull problem);

// `variable` holds the functions once the library is open.
#define OFFERS_DEFINE_LIBRARY(library, variable, FUNCTIONS, ...)                             \
  static struct library variable;                                                            \
  const struct library *library##_open(const char **problem) {                               \
    static const char *const files[] = {__VA_ARGS__, NULL};                                  \
    static const char *const names[] = {FUNCTIONS(OFFERS_LIBRARY_NAME) NULL};                \
    return offers_open_library(files, names, (void **)&variable, problem) ? &variable : NULL; \
  }

#endif
