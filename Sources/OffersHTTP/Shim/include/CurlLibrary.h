// The functions of libcurl that the shim calls.
#ifndef OFFERS_CURL_LIBRARY_H
#define OFFERS_CURL_LIBRARY_H

// Its macros would not find the functions below.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "SharedLibrary.h"

#define OFFERS_LIBCURL_FUNCTIONS(F) \
  F(curl_easy_cleanup)              \
  F(curl_easy_getinfo)              \
  F(curl_easy_init)                 \
  F(curl_easy_pause)                \
  F(curl_easy_perform)              \
  F(curl_easy_setopt)               \
  F(curl_easy_strerror)             \
  F(curl_global_init)               \
  F(curl_multi_add_handle)          \
  F(curl_multi_cleanup)             \
  F(curl_multi_info_read)           \
  F(curl_multi_init)                \
  F(curl_multi_perform)             \
  F(curl_multi_poll)                \
  F(curl_multi_remove_handle)       \
  F(curl_multi_setopt)              \
  F(curl_multi_wakeup)              \
  F(curl_slist_append)              \
  F(curl_slist_free_all)            \
  F(curl_version)

/// No function of the shim may be called before.
OFFERS_DECLARE_LIBRARY(offers_libcurl, OFFERS_LIBCURL_FUNCTIONS)

#endif
