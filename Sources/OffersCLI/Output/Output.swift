import Glibc
import OffersCore

/// Where things are printed: data on standard output, all else on standard error.
enum Output {
  /// Opens what the program was started without. A database that took the number of standard error
  /// would have error messages written into it. What takes the number of standard output can only
  /// be read: data that nobody gets must not pass for printed.
  static func reserveStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
  }

  /// Prints text and a line end to standard output.
  static func print(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// Prints text as it is to standard output.
  static func printRaw(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Prints bytes as they are to standard output.
  static func printRaw(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0, to: STDOUT_FILENO) }
  }

  /// Prints a line to standard error.
  static func note(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

  /// Prints text as it is to standard error.
  static func noteRaw(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Prints an error as what and where, then what to do next.
  static func error(_ error: OffersError, feed: String? = nil) {
    let place = feed.map { "\($0): " } ?? ""
    let style = Style(.auto, isTerminal: Terminal.isError, EnvironmentVariable.find)
    var lines = [style.bad("offers:") + " " + place + DisplayText.oneLine(error.message)]
    if let hint = error.hint { lines.append("        " + DisplayText.oneLine(hint)) }
    note(lines.joined(separator: "\n"))
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
  }

  /// Writes all of it. A reader that went away ends the program as the shell expects (SIGPIPE); a
  /// full disk or another failure is told.
  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
    if FileBytes.write(bytes, to: descriptor) { return }
    if errno == EPIPE, descriptor == STDOUT_FILENO, let isShown = Pager.ending() {
      if !isShown { error(Pager.failure) }
      exit(isShown ? 0 : 1)
    }
    if errno == EPIPE || descriptor == STDERR_FILENO { exit(1) }
    let reason = errno == EBADF ? "it is closed" : String(cString: strerror(errno))
    note("offers: The output could not be written: \(reason).")
    exit(1)
  }
}
