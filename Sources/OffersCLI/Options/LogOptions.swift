import ArgumentParser
import Logging
import OffersCore

/// The options that set the level and the format of the log on standard error.
struct LogOptions: ParsableArguments {
  @Flag(name: .long, help: "Log each step to standard error.")
  var verbose = false

  @OptionGroup var format: LogFormatOption

  var log: Log { Log(isVerbose: verbose, format: format.logFormat ?? .text) }
}

/// The option that sets the format of all that a command prints on standard error.
struct LogFormatOption: ParsableArguments {
  @Option(
    name: .long,
    help: "The format of messages: text, or json (each is then a line of JSON).")
  var logFormat: LogFormat?

  /// Whether the words of a command line choose JSON. It is known before they are parsed, so that errors of
  /// the parser have the format, too.
  static func isJSON(_ words: [String]) -> Bool {
    let words = words.prefix { $0 != "--" }
    return words.contains("--log-format=json")
      || zip(words, words.dropFirst()).contains { $0 == "--log-format" && $1 == "json" }
  }
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
  /// in the JSON format, and nothing in the text format, in which `Output.error` prints them.
  var logger: Logger {
    let (format, level) = (format, isVerbose ? Logger.Level.debug : .error)
    let isSilent = !isVerbose && format == .text
    return Logger(label: "offers") { _ in
      isSilent
        ? SwiftLogNoOpLogHandler() as any LogHandler
        : StandardErrorLogHandler(format: format, level)
    }
  }

  /// The logger for what an operator of a server reads, such as refused logins and who changed what: it
  /// logs from the level `notice` on, in either format.
  var accessLogger: Logger {
    let (format, level) = (format, isVerbose ? Logger.Level.debug : .notice)
    return Logger(label: "offers") { _ in StandardErrorLogHandler(format: format, level) }
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
    let line = LogLine(event.level, "\(event.message)", all.map { ($0.key, "\($0.value)") })
    Output.log(line, isJSON: format == .json)
  }
}
