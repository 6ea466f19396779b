#include "CurlShim.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

OFFERS_DEFINE_LIBRARY(
    offers_libcurl, libcurl, OFFERS_LIBCURL_FUNCTIONS, "libcurl.so.4", "libcurl.4.dylib")

struct curl_shim_transfer {
  CURL *handle;
  void *context;
  curl_shim_callbacks callbacks;
  struct curl_slist *headers;
  struct curl_slist *addresses;
  struct curl_slist *recipients;
  unsigned char *upload;
  size_t upload_count;
  size_t upload_place;
  char failure[CURL_ERROR_SIZE];
};

static size_t receive_header(char *bytes, size_t size, size_t count, void *user) {
  curl_shim_transfer *transfer = user;
  return transfer->callbacks.header(transfer->context, bytes, size * count) ? size * count : 0;
}

static size_t receive_body(char *bytes, size_t size, size_t count, void *user) {
  curl_shim_transfer *transfer = user;
  bool taken = transfer->callbacks.body(transfer->context, bytes, size * count);
  return taken ? size * count : CURL_WRITEFUNC_PAUSE;
}

static curl_socket_t open_socket(void *user, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  curl_shim_transfer *transfer = user;
  char text[INET6_ADDRSTRLEN];
  const void *bytes = NULL;
  if (address->family == AF_INET) {
    bytes = &((const struct sockaddr_in *)&address->addr)->sin_addr;
  } else if (address->family == AF_INET6) {
    bytes = &((const struct sockaddr_in6 *)&address->addr)->sin6_addr;
  }
  if (!bytes || !inet_ntop(address->family, bytes, text, sizeof text)) return CURL_SOCKET_BAD;
  if (!transfer->callbacks.connect(transfer->context, text)) return CURL_SOCKET_BAD;
  int type = address->socktype;
#ifdef SOCK_CLOEXEC
  type |= SOCK_CLOEXEC;
#endif
  int descriptor = socket(address->family, type, address->protocol);
#ifndef SOCK_CLOEXEC
  if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#endif
  return descriptor < 0 ? CURL_SOCKET_BAD : descriptor;
}

static int before_request(
    void *user, char *remote, char *local, int remote_port, int local_port) {
  (void)local, (void)remote_port, (void)local_port;
  curl_shim_transfer *transfer = user;
  bool may = transfer->callbacks.send(transfer->context, remote);
  return may ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

curl_shim_transfer *curl_shim_make(curl_shim_callbacks callbacks) {
  curl_shim_transfer *transfer = calloc(1, sizeof *transfer);
  if (!transfer) return NULL;
  CURL *handle = libcurl.curl_easy_init();
  if (!handle) {
    free(transfer);
    return NULL;
  }
  transfer->handle = handle;
  transfer->callbacks = callbacks;
  // Each of them matters: without one, an address would not be checked, or a removed transfer would wait
  // for the look-up of its proxy.
  bool is_set = libcurl.curl_easy_setopt(handle, CURLOPT_PRIVATE, transfer) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer->failure) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, receive_header) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_HEADERDATA, transfer) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive_body) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_WRITEDATA, transfer) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, transfer) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, before_request) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_PREREQDATA, transfer) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK;
  if (!is_set) {
    curl_shim_free(transfer);
    return NULL;
  }
  return transfer;
}

void curl_shim_set_context(curl_shim_transfer *transfer, void *context) {
  transfer->context = context;
}

void curl_shim_free(curl_shim_transfer *transfer) {
  libcurl.curl_easy_cleanup(transfer->handle);
  libcurl.curl_slist_free_all(transfer->headers);
  libcurl.curl_slist_free_all(transfer->addresses);
  libcurl.curl_slist_free_all(transfer->recipients);
  free(transfer->upload);
  free(transfer);
}

CURL *curl_shim_handle(curl_shim_transfer *transfer) { return transfer->handle; }

const char *curl_shim_failure(curl_shim_transfer *transfer) { return transfer->failure; }

CURLcode curl_shim_set_number(curl_shim_transfer *transfer, CURLoption option, long value) {
  return libcurl.curl_easy_setopt(transfer->handle, option, value);
}

CURLcode curl_shim_set_text(curl_shim_transfer *transfer, CURLoption option, const char *value) {
  return libcurl.curl_easy_setopt(transfer->handle, option, value);
}

CURLcode curl_shim_set_post(curl_shim_transfer *transfer, const void *bytes, size_t count) {
  CURLcode code =
      libcurl.curl_easy_setopt(transfer->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  if (code != CURLE_OK) return code;
  return libcurl.curl_easy_setopt(transfer->handle, CURLOPT_COPYPOSTFIELDS, count > 0 ? bytes : "");
}

bool curl_shim_add_header(curl_shim_transfer *transfer, const char *line) {
  struct curl_slist *longer = libcurl.curl_slist_append(transfer->headers, line);
  if (!longer) return false;
  transfer->headers = longer;
  return libcurl.curl_easy_setopt(transfer->handle, CURLOPT_HTTPHEADER, longer) == CURLE_OK;
}

bool curl_shim_set_addresses(curl_shim_transfer *transfer, const char *line) {
  struct curl_slist *longer = libcurl.curl_slist_append(transfer->addresses, line);
  if (!longer) return false;
  transfer->addresses = longer;
  return libcurl.curl_easy_setopt(transfer->handle, CURLOPT_RESOLVE, longer) == CURLE_OK;
}

bool curl_shim_add_recipient(curl_shim_transfer *transfer, const char *address) {
  struct curl_slist *longer = libcurl.curl_slist_append(transfer->recipients, address);
  if (!longer) return false;
  transfer->recipients = longer;
  return libcurl.curl_easy_setopt(transfer->handle, CURLOPT_MAIL_RCPT, longer) == CURLE_OK;
}

static size_t send_upload(char *bytes, size_t size, size_t count, void *user) {
  curl_shim_transfer *transfer = user;
  size_t rest = transfer->upload_count - transfer->upload_place;
  size_t taken = rest < size * count ? rest : size * count;
  memcpy(bytes, transfer->upload + transfer->upload_place, taken);
  transfer->upload_place += taken;
  return taken;
}

bool curl_shim_set_upload(curl_shim_transfer *transfer, const void *bytes, size_t count) {
  transfer->upload = malloc(count + 1);
  if (!transfer->upload) return false;
  if (count > 0) memcpy(transfer->upload, bytes, count);
  transfer->upload_count = count;
  CURL *handle = transfer->handle;
  return libcurl.curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_READFUNCTION, send_upload) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_READDATA, transfer) == CURLE_OK
      && libcurl.curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)count) == CURLE_OK;
}

CURLcode curl_shim_perform(curl_shim_transfer *transfer) {
  return libcurl.curl_easy_perform(transfer->handle);
}

long curl_shim_number(curl_shim_transfer *transfer, CURLINFO info) {
  long value = 0;
  return libcurl.curl_easy_getinfo(transfer->handle, info, &value) == CURLE_OK ? value : 0;
}

CURLMcode curl_shim_multi_set(CURLM *multi, CURLMoption option, long value) {
  return libcurl.curl_multi_setopt(multi, option, value);
}

CURL *curl_shim_next_ended(CURLM *multi, CURLcode *code) {
  int left = 0;
  CURLMsg *message;
  while ((message = libcurl.curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}

CURLcode curl_shim_start(void) { return libcurl.curl_global_init(CURL_GLOBAL_DEFAULT); }
const char *curl_shim_version(void) { return libcurl.curl_version(); }
const char *curl_shim_describe(CURLcode code) { return libcurl.curl_easy_strerror(code); }
CURLcode curl_shim_pause(CURL *handle, int mask) { return libcurl.curl_easy_pause(handle, mask); }
CURLM *curl_shim_multi_make(void) { return libcurl.curl_multi_init(); }
void curl_shim_multi_free(CURLM *multi) { libcurl.curl_multi_cleanup(multi); }
CURLMcode curl_shim_multi_wake(CURLM *multi) { return libcurl.curl_multi_wakeup(multi); }

CURLMcode curl_shim_multi_add(CURLM *multi, CURL *handle) {
  return libcurl.curl_multi_add_handle(multi, handle);
}

CURLMcode curl_shim_multi_remove(CURLM *multi, CURL *handle) {
  return libcurl.curl_multi_remove_handle(multi, handle);
}

CURLMcode curl_shim_multi_perform(CURLM *multi) {
  int count = 0;
  return libcurl.curl_multi_perform(multi, &count);
}

CURLMcode curl_shim_multi_wait(CURLM *multi, int milliseconds) {
  return libcurl.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}
