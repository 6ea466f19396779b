import Glibc
import OffersCore
import OffersPlatform

/// The output of the program: data on standard output, everything else on standard error.
enum Output {
  /// Opens `/dev/null` for each of the three standard descriptors that the program was started
  /// without.
  ///
  /// Otherwise a database could be opened as descriptor 2, and error messages would be written into
  /// it. Descriptor 1 is opened for reading only, so that printing data fails instead of losing it.
  static func reserveStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
  }

  /// Prints text and a line end to standard output.
  ///
  /// - Throws: `ReaderGone` if the reader of a pipe has closed it and SIGPIPE is ignored;
  ///   `OffersError` with `storageFailed` for any other error, such as a full disk or a closed
  ///   standard output.
  static func print(_ text: String) throws { try printRaw(text + "\n") }

  /// Prints text to standard output, without adding a line end.
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

  /// Prints lines to standard error. On a terminal they are wrapped at its width.
  static func note(_ text: String) {
    let lines = Terminal.isError ? DisplayText.wrapIndented(text, Terminal.errorWidth) : text
    noteRaw(lines + "\n")
  }

  /// Prints text to standard error, without adding a line end.
  static func noteRaw(_ text: String) {
    var text = text
    // A failure to write to standard error cannot be reported anywhere.
    text.withUTF8 {
      try? FileBytes.writeAll(UnsafeRawBufferPointer($0), to: ProcessContext.current.errors)
    }
  }

  /// Prints an error to standard error: `offers:`, the feed and the message, then the hint on a
  /// second line. The feed and the hint are optional.
  static func error(_ error: OffersError, feed: String? = nil) {
    let place = feed.map { "\($0): " } ?? ""
    let style = Style(.auto, isTerminal: Terminal.isError, ProcessContext.variable)
    let name = "offers:"
    let indent = String(repeating: " ", count: name.count + 1)
    var text = indent + place + DisplayText.oneLine(error.message)
    if let hint = error.advice?.commandText { text += "\n" + indent + DisplayText.oneLine(hint) }
    if Terminal.isError { text = DisplayText.wrapIndented(text, Terminal.errorWidth) }
    noteRaw(style.bad(name) + text.dropFirst(name.count) + "\n")
  }

  /// Writes all of the bytes to the output stream. If the reader of a pipe has closed it, SIGPIPE
  /// ends the program, unless the signal is ignored, as it is while a pager runs.
  private static func write(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try FileBytes.writeAll(bytes, to: ProcessContext.current.output)
    } catch {
      if error.number == EPIPE { throw ReaderGone() }
      let reason = error.number == EBADF ? "it is closed" : error.text
      throw OffersError(.storageFailed, "The output could not be written: \(reason).")
    }
  }
}

/// The error that the reader of standard output has closed the pipe. It ends the command without a
/// message.
struct ReaderGone: Error {}
