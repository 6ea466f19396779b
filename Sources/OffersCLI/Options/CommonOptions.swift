import ArgumentParser
import Foundation
import Logging
import OffersCore
import OffersFeeds
import OffersSync

struct PageOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: .value("n", "List at most this many offers."))
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: .value("n", "List this page, from 1, of --limit offers (\(Self.usualSize) by default)."))
  var page: Int?

  /// The number of offers on a page if `--page` is given without `--limit`.
  private static let usualSize = 50

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    if let page, page < 1 { throw ValidationError("--page must be at least 1.") }
  }

  /// The number of the next page of a list, which has `total` offers and was printed up to `end`; nil for
  /// none.
  func next(after end: Int, of total: Int) -> Int? { end < total ? (page ?? 1) + 1 : nil }

  /// The number of offers to skip, and the largest number of offers; nil for all.
  func part() throws -> (offset: Int, limit: Int?) {
    guard let page else { return (0, limit) }
    let size = limit ?? Self.usualSize
    let (offset, isTooFar) = (page - 1).multipliedReportingOverflow(by: size)
    if isTooFar {
      throw OffersError(
        .invalidRequest, "There is no page \(page).", hint: "Pages are counted from 1.")
    }
    return (offset, size)
  }
}

/// A switch that many commands have.
enum CommonFlag { case json }

extension Flag where Value == Bool {
  init(wrappedValue: Bool, _ flag: CommonFlag) {
    switch flag {
    case .json:
      self.init(wrappedValue: wrappedValue, name: .long, help: "Print one JSON document.")
    }
  }
}

extension ArgumentHelp {
  /// The explanation of an option, and the name of its value.
  static func value(_ name: String, _ text: String) -> ArgumentHelp {
    ArgumentHelp(text, valueName: name)
  }
}

struct EmptyResultOptions: ParsableArguments {
  @Flag(help: "Exit with 66 if nothing is found.") var exitStatus = false

  func check(isEmpty: Bool) throws {
    if exitStatus, isEmpty { throw ExitStatus.notFound }
  }
}

struct ColorOptions: ParsableArguments {
  @Option(
    help: .value(
      "when",
      "Whether to print colors: auto does on a terminal, unless $NO_COLOR is set or $TERM is dumb.")
  )
  var color = Style.Mode.auto

  var style: Style {
    let environment = ProcessContext.environment
    return Style(color, isTerminal: Terminal.isOutput) { environment[$0] }
  }
}

struct PagerOptions: ParsableArguments {
  @OptionGroup var terminal: ColorOptions
  @Flag(help: "Do not show long output page by page.") var noPager = false

  /// Runs a closure that prints a long text. On a terminal the text goes through a pager, unless
  /// the user wants none or none can be started.
  ///
  /// - Throws: `ExitCode.success` if the user left the pager before all was printed, `ExitCode`
  ///   with 1 if the pager failed; otherwise as `print`.
  func show(_ print: () async throws -> Void) async throws {
    let environment = ProcessContext.environment
    guard Terminal.isOutput, ProcessContext.current.isProcess, !noPager,
      let pager = Pager({ environment[$0] })
    else {
      return try await print()
    }
    do {
      try await print()
    } catch is ReaderGone {
      try Self.check(pager.finish())
      // Leaving the pager early is no failure, but ends the command.
      throw ExitCode.success
    } catch {
      // The error is reported after the pager has ended.
      _ = pager.finish()
      throw error
    }
    try Self.check(pager.finish())
  }

  private static func check(_ isShown: Bool) throws {
    if isShown { return }
    Output.error(Pager.failure)
    throw ExitStatus.failed
  }
}

/// The options that set the level and the format of the log on standard error.
struct LogOptions: ParsableArguments {
  @Flag(help: "Log each step to standard error.") var verbose = false
  @OptionGroup var format: LogFormatOption

  var log: Log { Log(isVerbose: verbose, format: format.logFormat ?? .text) }
}

/// The option that sets the format of all that a command prints on standard error.
struct LogFormatOption: ParsableArguments {
  @Option(help: "The format of messages: text, or json (each is then a line of JSON).")
  var logFormat: LogFormat?

  /// Whether the words of a command line choose JSON. It is known before they are parsed, so that errors of
  /// the parser have the format, too.
  static func isJSON(_ words: [String]) -> Bool {
    let words = words.prefix { $0 != "--" }
    return words.contains("--log-format=json")
      || zip(words, words.dropFirst()).contains { $0 == "--log-format" && $1 == "json" }
  }
}

enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// `time level message key=value …`
  case text
  case json
}

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

/// The option that lets a command fetch from addresses in private networks that the user of this
/// machine did not name, such as the target of a redirect.
struct NetworkOptions: ParsableArguments {
  @Flag(
    help: """
      Let redirects, next pages, images and sources that were not named at this machine lead into \
      private networks, too.
      """)
  var allowPrivateNetwork = false

  /// Whether `--allow-private-network` or `allow-private-network: true` in the file of definitions
  /// is given.
  func allowsPrivateNetwork(_ configuration: FeedConfiguration) -> Bool {
    allowPrivateNetwork || configuration.allowsPrivateNetwork
  }

  /// The options for reading a feed without storing it.
  func syncOptions(_ configuration: FeedConfiguration) -> SyncOptions {
    var options = SyncOptions(allowsPrivateNetwork: allowsPrivateNetwork(configuration))
    options.fallbackSource = FeedSummary.fallbackSource
    return options
  }
}

/// The options with the headers of a source's requests.
struct HeaderOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: .value(
      "header",
      "A header of the requests, such as 'X-Api-Key: {env:KEY}', with the secret in a variable. May be repeated."
    ))
  var header: [String] = []

  @Option(
    parsing: .unconditional,
    help: .value(
      "name",
      """
      The user for Basic authentication. The password is in the variable NAME_PASSWORD, where NAME is the \
      feed's; for another write 'name:{env:VARIABLE}'.
      """))
  var user: String?

  func headers(of feed: String) throws -> [RequestHeader] {
    try RequestHeader.parse(header, user: user, of: feed)
  }
}

/// A lookup of an enum case by its raw value, with an error that lists all values.
enum NamedChoice {
  /// The case whose raw value is the given word.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for another word. The hint suggests a similar
  ///   value, if there is one, and lists all.
  static func find<Choice: RawRepresentable & CaseIterable>(
    _ word: String, among choices: [Choice] = Array(Choice.allCases), what: String, title: String
  ) throws -> Choice where Choice.RawValue == String {
    if let choice = choices.first(where: { $0.rawValue == word }) { return choice }
    let names = choices.map(\.rawValue)
    let near = NearestWord.find(word, among: names).map { "Did you mean \($0)? " } ?? ""
    // The hint lists all values, however many, because no command prints them.
    throw OffersError(
      .invalidRequest, "There is no \(what) “\(word)”.",
      hint: "\(near)\(title): \(names.joined(separator: ", ")).")
  }
}
