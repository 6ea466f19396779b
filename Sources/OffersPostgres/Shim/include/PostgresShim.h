#ifndef OFFERS_POSTGRES_SHIM_H
#define OFFERS_POSTGRES_SHIM_H

#include "SharedLibrary.h"

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// The functions of libpq that the program calls.
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
  F(PQsetNoticeProcessor)

OFFERS_DECLARE_LIBRARY(offers_libpq, OFFERS_LIBPQ_FUNCTIONS)

/// Discards the notices of a connection, which libpq prints on standard error otherwise.
void offers_libpq_discard_notices(const struct offers_libpq *_Nonnull, PGconn *_Nonnull);

/// Waits until a socket can be read, or also written, for at most a time.
///
/// Returns whether it can; false after the time, and -1 in case of an error.
int offers_wait_for_socket(int socket, bool writable, int milliseconds);

#endif
