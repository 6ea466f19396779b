#include "OpenFile.h"

#include <stdlib.h>

sqlite3_file *offers_open_file(sqlite3 *connection, int which) {
  sqlite3_file *file = NULL;
  int code = sqlite3_file_control(connection, "main", which, &file);
  return code == SQLITE_OK && file && file->pMethods ? file : NULL;
}

// Tells a file that has a wrapper.
static int control(sqlite3_file *file, int operation, void *argument) {
  offers_wrapper *wrapper = offers_wrapper_of(file);
  return wrapper->inner->xFileControl(file, operation, argument);
}

void *offers_wrap_file(sqlite3 *connection, int which, size_t size) {
  sqlite3_file *file = offers_open_file(connection, which);
  if (!file || file->pMethods->xFileControl == control) return NULL;
  offers_wrapper *wrapper = calloc(1, size);
  if (!wrapper) return NULL;
  wrapper->inner = file->pMethods;
  wrapper->file = file;
  wrapper->methods = *file->pMethods;
  wrapper->methods.xFileControl = control;
  file->pMethods = &wrapper->methods;
  return wrapper;
}

void offers_unwrap_file(void *wrapper) {
  offers_wrapper *own = wrapper;
  if (!own) return;
  own->file->pMethods = own->inner;
  free(own);
}
