import ArgumentParser
import Foundation
import Glibc
import Logging
import OffersCore
import OffersPlatform

/// The output of the program: data on standard output, everything else on standard error.
///
/// All output passes this type, which makes it harmless for a terminal: see `PrintedText`. Handlers of
/// signals, which may not, write fixed texts.
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

  /// Prints a text to standard output.
  ///
  /// - Throws: `ReaderGone` if the reader of a pipe has closed it and SIGPIPE is ignored;
  ///   `OffersError` with `storageFailed` for any other error, such as a full disk or a closed
  ///   standard output.
  static func print(_ text: PrintedText, terminator: PrintedText = "\n") throws {
    var text = [text, terminator].joined().rendered(isTerminal: Terminal.isOutput)
    try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
  }

  /// Prints text in a format for programs, such as JSON, to standard output: exactly as it is, except
  /// on a terminal.
  static func printData(_ text: String, terminator: PrintedText = "\n") throws {
    try print(.data(text), terminator: terminator)
  }

  /// Prints bytes as they are to standard output.
  static func printBytes(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try printBytes($0[...]) }
  }

  static func printBytes(_ bytes: Slice<UnsafeRawBufferPointer>) throws {
    try refuseTerminal()
    try write(UnsafeRawBufferPointer(rebasing: bytes))
  }

  static func refuseTerminal() throws {
    if Terminal.isOutput {
      throw OffersError(
        .invalidRequest, "The bytes of a file cannot be shown on a terminal.",
        hint: "Send them to a file or a program with > or |")
    }
  }

  /// A long text in a format for programs that is printed piece by piece, as by `printData`.
  struct Data {
    /// The bytes of a character that is not complete yet.
    private var rest: [UInt8] = []

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
      guard Terminal.isOutput else { return try write(bytes) }
      let all = rest + bytes
      // A character has at most four bytes, the first of which is not 10xxxxxx.
      let start = all.suffix(4).lastIndex { $0 & 0xC0 != 0x80 } ?? all.endIndex
      let end = start < all.endIndex && all[start] >= 0xC0 ? start : all.endIndex
      rest = Array(all[end...])
      try printData(String(decoding: all[..<end], as: UTF8.self), terminator: "")
    }

    mutating func finish() throws {
      try printData(String(decoding: rest, as: UTF8.self), terminator: "")
      rest = []
    }
  }

  /// Prints lines to standard error. On a terminal, lines without styles are wrapped at its width. With
  /// `--log-format json` they are one line of the log.
  static func note(
    _ text: PrintedText, _ level: Logger.Level = .notice, _ values: [(String, String)] = []
  ) {
    if ProcessContext.current.logsJSON {
      log(LogLine(level, text.plain, values), isJSON: true)
    } else {
      write(line: Terminal.isError ? text.wrapped(Terminal.errorWidth) : text)
    }
  }

  /// Prints a line of the log to standard error.
  static func log(_ line: LogLine, isJSON: Bool) {
    write(line: isJSON ? .data(line.json) : .text(line.text))
  }

  private static func write(line: PrintedText) { writeError("\(line)\n") }

  /// Prints a question to standard error, after which a person types.
  static func prompt(_ question: PrintedText) { writeError(question) }

  /// Replaces the line at the cursor of the terminal at standard error.
  static func redraw(_ line: String) {
    if ProcessContext.current.logsJSON { return }
    writeError(.text(line), after: "\(lineStart)")
  }

  /// Moves the cursor of a terminal to the start of its line, and erases the line.
  static let lineStart: StaticString = "\r\u{1B}[K"

  /// Prints an error to standard error: `offers:`, the feed and the message, then the hint on a
  /// second line. The feed and the hint are optional. With `--log-format json` it is a line of the log.
  static func error(_ error: OffersError, feed: String? = nil) {
    if ProcessContext.current.logsJSON {
      let values = [
        ("code", error.code.rawValue), ("feed", feed), ("hint", error.hint?.printed),
      ].compactMap { name, value in value.map { (name, $0) } }
      return log(LogLine(.error, error.message, values), isJSON: true)
    }
    let place = feed.map { "\($0): " } ?? ""
    let style = Style(.auto, isTerminal: Terminal.isError, ProcessContext.variable)
    let name = "offers:"
    let indent = String(repeating: " ", count: name.count + 1)
    var text = indent + DisplayText.oneLine(place + error.message)
    if let hint = error.hint?.printed { text += "\n" + indent + DisplayText.oneLine(hint) }
    if Terminal.isError { text = DisplayText.wrapIndented(text, Terminal.errorWidth) }
    write(line: "\(style.bad(name))\(text.dropFirst(name.count))")
  }

  private static func writeError(_ text: PrintedText, after start: String = "") {
    var text = start + text.rendered(isTerminal: Terminal.isError)
    // A failure to write to standard error cannot be reported anywhere.
    text.withUTF8 {
      try? FileOperations.writeAll(UnsafeRawBufferPointer($0), to: ProcessContext.current.errors)
    }
  }

  /// Writes all of the bytes to the output stream. If the reader of a pipe has closed it, SIGPIPE
  /// ends the program, unless the signal is ignored, as it is while a pager runs.
  private static func write(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try FileOperations.writeAll(bytes, to: ProcessContext.current.output)
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

/// The colors of printed text.
///
/// Only the terminal's own 16 colors are used, so that they match its background.
struct Style: Sendable {
  /// When colors are printed.
  enum Mode: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Colors are printed on a terminal, unless `TERM` is `dumb` or not set, or `NO_COLOR` is set
    /// (https://no-color.org).
    case auto
    case always
    case never
  }

  let isOn: Bool

  static let plain = Style(.never, isTerminal: false) { _ in nil }

  init(_ mode: Mode, isTerminal: Bool, _ variable: (String) -> String?) {
    switch mode {
    case .always: isOn = true
    case .never: isOn = false
    case .auto:
      let term = variable("TERM") ?? ""
      isOn =
        isTerminal && !term.isEmpty && term != "dumb" && (variable("NO_COLOR") ?? "").isEmpty
    }
  }

  func bold(_ text: String) -> PrintedText { set(text, .bold) }
  func faint(_ text: String) -> PrintedText { set(text, .faint) }
  func good(_ text: String) -> PrintedText { set(text, .green) }
  func bad(_ text: String) -> PrintedText { set(text, .red) }
  func star(_ text: String) -> PrintedText { set(text, .yellow) }
  func blackOnWhite(_ text: String) -> PrintedText { set(text, .blackOnWhite) }

  private func set(_ text: String, _ look: PrintedText.Look) -> PrintedText {
    isOn && !text.isEmpty ? .styled(text, look) : .text(text)
  }
}

/// A line of the log: a message with its level and named values.
struct LogLine {
  let level: Logger.Level
  let message: String
  /// The values, in their order.
  let values: [(name: String, value: String)]
  var time = Date()

  init(_ level: Logger.Level, _ message: String, _ values: [(String, String)] = []) {
    self.level = level
    self.message = message
    self.values = values
  }

  /// A JSON object. Its time is in UTC.
  var json: String {
    let rest = JSONObject(members: { json in
      for (name, value) in values { json.member(name, value) }
    })
    return (["time": time, "level": level.rawValue, "message": message] + rest).text
  }

  /// `time level message name=value …`, in the local time zone.
  var text: String {
    DisplayText.oneLine("\(Units.exactTime(time)) \(level.rawValue) \(untimed)")
  }

  /// `message name=value …`. A value with a space is in quotation marks.
  var untimed: String {
    message + values.map { " \($0)=\($1.contains(" ") ? "“\($1)”" : $1)" }.joined()
  }
}
