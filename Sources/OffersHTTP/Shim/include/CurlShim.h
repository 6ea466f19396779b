// Functions over libcurl, which is opened by the first request, and whose own functions for options take variable
// arguments, which Swift cannot call. https://curl.se/libcurl/c/
#ifndef CURL_SHIM_H
#define CURL_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#include "CurlLibrary.h"

/// libcurl's own set-up, once for the process.
CURLcode curl_shim_start(void);
/// Names libcurl first: "libcurl/7.88.1 OpenSSL/3.0.11 …".
const char *curl_shim_version(void);
const char *curl_shim_describe(CURLcode code);

/// The functions that are called during a transfer, on the thread that drives it. `context` is the
/// pointer that was given to `curl_shim_set_context`.
typedef struct {
  /// Receives a line of a response's head, with its line end. Returns false to fail the transfer.
  bool (*header)(void *context, const char *bytes, size_t count);
  /// Receives bytes of the body. Returns false to pause the transfer: the same bytes come again.
  bool (*body)(void *context, const char *bytes, size_t count);
  /// Whether a connection may be made to an IP address, such as `192.0.2.1`.
  bool (*connect)(void *context, const char *address);
  /// Whether the request may be sent over a connection to an IP address, which may be one that an
  /// earlier request made.
  bool (*send)(void *context, const char *address);
} curl_shim_callbacks;

/// A transfer: its handle, and everything that must live as long as the handle.
typedef struct curl_shim_transfer curl_shim_transfer;

/// Makes a transfer, which follows no redirect, decodes no content, keeps no cookie and sends no name and
/// password of a URL. Returns NULL if memory is short, or if libcurl lacks an option.
curl_shim_transfer *curl_shim_make(curl_shim_callbacks callbacks);
void curl_shim_set_context(curl_shim_transfer *transfer, void *context);
/// Frees a transfer that is not part of a multi handle.
void curl_shim_free(curl_shim_transfer *transfer);
CURL *curl_shim_handle(curl_shim_transfer *transfer);
/// libcurl's own description of the failure; empty if there is none.
const char *curl_shim_failure(curl_shim_transfer *transfer);

CURLcode curl_shim_set_number(curl_shim_transfer *transfer, CURLoption option, long value);
/// Sets a text, which libcurl copies; NULL for the default.
CURLcode curl_shim_set_text(curl_shim_transfer *transfer, CURLoption option, const char *value);
/// Sends a body by POST. The bytes are copied.
CURLcode curl_shim_set_post(curl_shim_transfer *transfer, const void *bytes, size_t count);
/// Adds a line to the head of the request, such as `Accept: text/plain`; `Accept:` removes the field
/// that libcurl would send.
bool curl_shim_add_header(curl_shim_transfer *transfer, const char *line);
/// Sets the addresses of a name, as `+name:port:address,address`.
bool curl_shim_set_addresses(curl_shim_transfer *transfer, const char *line);
/// Adds a receiver of a mail, such as `<ann@example.com>`.
bool curl_shim_add_recipient(curl_shim_transfer *transfer, const char *address);
/// Sends bytes in a transfer that is no POST request, once. They are copied.
bool curl_shim_set_upload(curl_shim_transfer *transfer, const void *bytes, size_t count);
/// Runs a transfer that is not part of a multi handle to its end.
CURLcode curl_shim_perform(curl_shim_transfer *transfer);
/// The number of an answer, such as `CURLINFO_RESPONSE_CODE`; 0 if there is none.
long curl_shim_number(curl_shim_transfer *transfer, CURLINFO info);

/// Pauses or resumes a transfer.
CURLcode curl_shim_pause(CURL *handle, int mask);

CURLM *curl_shim_multi_make(void);
void curl_shim_multi_free(CURLM *multi);
CURLMcode curl_shim_multi_add(CURLM *multi, CURL *handle);
CURLMcode curl_shim_multi_remove(CURLM *multi, CURL *handle);
CURLMcode curl_shim_multi_perform(CURLM *multi);
/// Waits until a transfer goes on, `curl_shim_multi_wake` is called, or a time is over.
CURLMcode curl_shim_multi_wait(CURLM *multi, int milliseconds);
CURLMcode curl_shim_multi_wake(CURLM *multi);
CURLMcode curl_shim_multi_set(CURLM *multi, CURLMoption option, long value);
/// Returns the next transfer that has ended, as its handle, or NULL; `code` tells how it ended.
CURL *curl_shim_next_ended(CURLM *multi, CURLcode *code);

#endif
