#ifndef OFFERS_POSTGRES_SHIM_H
#define OFFERS_POSTGRES_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// The functions of libpq that the program calls. They are looked up in the shared library at run
// time, so that no program needs libpq to start; `__typeof__` gives each its type from the header.
#define OFFERS_LIBPQ_FUNCTIONS(F) \
  F(PQconninfoParse)              \
  F(PQconninfoFree)               \
  F(PQconnectdbParams)            \
  F(PQfinish)                     \
  F(PQstatus)                     \
  F(PQtransactionStatus)          \
  F(PQerrorMessage)               \
  F(PQserverVersion)              \
  F(PQlibVersion)                 \
  F(PQbackendPID)                 \
  F(PQparameterStatus)            \
  F(PQsocket)                     \
  F(PQsetnonblocking)             \
  F(PQflush)                      \
  F(PQconsumeInput)               \
  F(PQisBusy)                     \
  F(PQsendQuery)                  \
  F(PQsendQueryParams)            \
  F(PQsendPrepare)                \
  F(PQsendQueryPrepared)          \
  F(PQgetResult)                  \
  F(PQresultStatus)               \
  F(PQresultErrorField)           \
  F(PQntuples)                    \
  F(PQgetisnull)                  \
  F(PQgetlength)                  \
  F(PQgetvalue)                   \
  F(PQcmdTuples)                  \
  F(PQcmdStatus)                  \
  F(PQclear)                      \
  F(PQgetCancel)                  \
  F(PQfreeCancel)                 \
  F(PQcancel)                     \
  F(PQfreemem)                    \
  F(PQnotifies)                   \
  F(PQsetNoticeProcessor)

struct offers_libpq {
#define OFFERS_LIBPQ_MEMBER(name) __typeof__(&name) _Nonnull name;
  OFFERS_LIBPQ_FUNCTIONS(OFFERS_LIBPQ_MEMBER)
#undef OFFERS_LIBPQ_MEMBER
};

/// Loads libpq on the first call.
///
/// Returns its functions, or NULL with the linker's message in `*problem`. Both stay valid. Calls
/// must not overlap.
const struct offers_libpq *_Nullable offers_libpq_load(const char *_Nullable *_Nonnull problem);

/// Discards the notices of a connection, which libpq prints on standard error otherwise.
void offers_libpq_discard_notices(const struct offers_libpq *_Nonnull, PGconn *_Nonnull);

/// Waits until a socket can be read, or also written, for at most a time.
///
/// Returns whether it can; false after the time, and -1 in case of an error.
int offers_wait_for_socket(int socket, bool writable, int milliseconds);

#endif
