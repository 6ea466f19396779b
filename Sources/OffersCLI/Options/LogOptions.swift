import ArgumentParser
import Foundation
import Logging
import OffersCore

/// The options that set the level and the format of the log on standard error.
struct LogOptions: ParsableArguments {
  @Flag(name: .long, help: "Log each step to standard error.")
  var verbose = false

  @Option(name: .long, help: "The log format: text or json (errors are then log lines, too).")
  var logFormat: LogFormat?

  var log: Log { Log(isVerbose: verbose, format: logFormat ?? .text) }
}

/// The format of log lines.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// `time level message key=value …`
  case text
  /// One JSON object a line.
  case json
}

/// The log of a command on standard error.
struct Log: Sendable {
  var isVerbose = false
  var format = LogFormat.text

  /// The logger for other modules, such as the sync engine. Without `--verbose` it logs only errors
  /// in the JSON format, and nothing in the text format, in which `error` prints them.
  var logger: Logger {
    let (format, level) = (format, isVerbose ? Logger.Level.debug : .error)
    let isSilent = !isVerbose && format == .text
    return Logger(label: "offers") { _ in
      isSilent
        ? SwiftLogNoOpLogHandler() as any LogHandler
        : StandardErrorLogHandler(format: format, level)
    }
  }

  /// The logger for refused logins and the token of a server, which an operator reads: it logs from
  /// the level `notice` on, in either format.
  var accessLogger: Logger {
    let (format, level) = (format, isVerbose ? Logger.Level.debug : .notice)
    return Logger(label: "offers") { _ in StandardErrorLogHandler(format: format, level) }
  }

  /// Prints an error on standard error: a log line in the JSON format, a message for people in the
  /// text format.
  func error(_ error: OffersError, feed: String? = nil) {
    guard format == .json else { return Output.error(error, feed: feed) }
    var metadata: Logger.Metadata = ["code": "\(error.code.rawValue)"]
    if let feed { metadata["feed"] = "\(feed)" }
    if let hint = error.advice?.commandText { metadata["hint"] = "\(hint)" }
    logger.error("\(error.message)", metadata: metadata)
  }
}

/// A handler that writes log lines to standard error.
struct StandardErrorLogHandler: LogHandler {
  let format: LogFormat
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  init(format: LogFormat, _ level: Logger.Level) {
    self.format = format
    logLevel = level
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    let text = line(event.level, "\(event.message)", all.map { ($0.key, "\($0.value)") }, Date())
    Output.log(format == .json ? .data(text) : .text(text))
  }

  /// A log line. Its time is in UTC in the JSON format, in the local time zone in the text format.
  func line(
    _ level: Logger.Level, _ message: String, _ metadata: [(String, String)], _ time: Date
  ) -> String {
    switch format {
    case .json:
      var json = JSONWriter()
      json.object { json in
        json.member("time", time)
        json.member("level", level.rawValue)
        json.member("message", message)
        for (key, value) in metadata {
          json.member(key, value)
        }
      }
      return json.text
    case .text:
      let pairs = metadata.map { " \($0)=\($1.contains(" ") ? "“\($1)”" : $1)" }.joined()
      return DisplayText.oneLine("\(Units.exactTime(time)) \(level.rawValue) \(message)\(pairs)")
    }
  }
}
