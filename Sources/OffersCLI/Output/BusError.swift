import Glibc

/// The end of the program by SIGBUS.
///
/// SQLite maps its `-shm` file into memory. Where a page of that file has no place on the disk yet,
/// as on a full file system with small blocks or with copy-on-write, the first write to the page
/// raises SIGBUS instead of an error. So does a page that the disk does not return.
enum BusError {
  /// Makes the program say what happened, and end with the exit code of a failure. Only a fixed text
  /// is written, because a handler of signals must not allocate memory.
  static func reportAtEnd() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
      let text: StaticString = """
        offers: The disk is full, or it failed while the database was used. The last change may or \
        may not have been stored.
                Make room, then look whether the change is there before you repeat it.

        """
      _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(1)
    }
    sigaction(SIGBUS, &action, nil)
  }
}
