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

  /// The descriptors that a command prints to.
  struct Streams: Sendable {
    var output = STDOUT_FILENO
    var errors = STDERR_FILENO
  }

  /// The standard ones, unless a test calls the command in process and gives it others.
  @TaskLocal static var streams = Streams()

  /// Prints text and a line end to standard output.
  ///
  /// - Throws: `ReaderGone`; `OffersError` with `storageFailed` for a full disk, or where standard
  ///   output is closed.
  static func print(_ text: String) throws { try printRaw(text + "\n") }

  /// Prints text as it is to standard output.
  ///
  /// - Throws: as `print`.
  static func printRaw(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }

  /// Prints bytes as they are to standard output.
  ///
  /// - Throws: as `print`.
  static func printRaw(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try write($0) }
  }

  /// Prints a line to standard error.
  static func note(_ text: String) { noteRaw(text + "\n") }

  /// Prints text as it is to standard error.
  static func noteRaw(_ text: String) {
    var text = text
    // There is nowhere left to tell that it cannot be written.
    text.withUTF8 { _ = FileBytes.write(UnsafeRawBufferPointer($0), to: streams.errors) }
  }

  /// Prints an error as what and where, then what to do next.
  static func error(_ error: OffersError, feed: String? = nil) {
    let place = feed.map { "\($0): " } ?? ""
    let style = Style(.auto, isTerminal: Terminal.isError, EnvironmentVariable.find)
    var lines = [style.bad("offers:") + " " + place + DisplayText.oneLine(error.message)]
    if let hint = error.hint { lines.append("        " + DisplayText.oneLine(hint)) }
    note(lines.joined(separator: "\n"))
  }

  /// Writes all of it. Unless SIGPIPE is ignored, as it is while a pager runs, it ends the program
  /// where the reader of a pipe has gone.
  private static func write(_ bytes: UnsafeRawBufferPointer) throws {
    if FileBytes.write(bytes, to: streams.output) { return }
    let code = errno
    if code == EPIPE { throw ReaderGone() }
    let reason = code == EBADF ? "it is closed" : String(cString: strerror(code))
    throw OffersError(.storageFailed, "The output could not be written: \(reason).")
  }
}

/// The reader of standard output takes no more. It ends the command, and nobody is told.
struct ReaderGone: Error {}
