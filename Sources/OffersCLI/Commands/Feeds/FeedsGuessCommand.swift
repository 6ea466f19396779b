import ArgumentParser
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSync

struct FeedsGuessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guess",
    abstract: "Propose a definition for a document.",
    usage: "offers feeds guess <source> [<options>]",
    discussion: """
      Prints YAML for your file of definitions, or for offers feeds edit NAME --from FILE, and on \
      standard error the reasons for the guess. Nothing is stored.

      EXAMPLES
        offers feeds guess https://example.com/products.json
      """)

  @Argument(help: "A URL, a file, or - for standard input.") var source: String
  @Option(help: "The name of the feed.") var name: String = "feed"
  @Flag(.json) var json = false
  @OptionGroup var network: NetworkOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let options = network.syncOptions(try configuration.path.load())
    let proposal = try await FeedGuess.use {
      try await $0.propose(name: name, source: source, options: options)
    }
    let yaml = DefinitionText.yaml(for: proposal.definition)
    if json {
      return try Output.print(
        .json([
          "name": name, "definition": yaml, "records": proposal.itemCount, "notes": proposal.notes,
        ]))
    }
    try Output.printData(yaml, terminator: "")
    for note in proposal.notes { Output.note(.line(note)) }
  }
}

/// Guesses of a feed's definition from a document, and their trial.
struct FeedGuess {
  /// Loads each document once, for the guess, its trial and the sync after it.
  let transport: CachingTransport

  /// Calls a closure with guesses over connections of their own, which are closed at its end.
  static func use<Value>(_ body: (FeedGuess) async throws -> Value) async throws -> Value {
    let connections = HTTPConnections(environment: ProcessContext.findVariable)
    do {
      let value = try await body(FeedGuess(transport: CachingTransport(connections)))
      await connections.close()
      return value
    } catch {
      await connections.close()
      throw error
    }
  }

  /// Reads the start of a source, and guesses a definition from it.
  ///
  /// - Parameters:
  ///   - source: the source as the user typed it; `-` for standard input.
  ///   - items: the path of the offers in the document; nil to guess it.
  ///   - missing: the fields among `id` and `name` that the user has not mapped to a path.
  ///   - isPublicOnly: whether the source was not named on this machine, so that it must be on the
  ///     public internet.
  /// - Throws: `OffersError` as `SyncEngine.readStart` and `DefinitionGuess`, with `limitExceeded` if both take
  ///   longer than `FetchLimits.totalSeconds`; `CancellationError`.
  func propose(
    name: String, source: String, items: FieldPath? = nil, missing: [String] = ["id", "name"],
    format: FeedFormat? = nil, isPublicOnly: Bool = false, options: SyncOptions = SyncOptions()
  ) async throws -> DefinitionGuess.Proposal {
    try FeedName.check(name)
    let address = try Self.address(of: source)
    let isOnWeb = if case .url? = try? SyncSource(parsing: source) { true } else { false }
    var proposal = try await Self.inTime(seconds: options.limits.totalSeconds) {
      let guess = DefinitionGuess(
        name: name, items: items, missing: missing, isOnWeb: isOnWeb, format: format)
      _ = try await openEngine().readStart(
        of: address, isPublicOnly: isPublicOnly, options: options
      ) {
        try guess.consume($0)
        return !guess.hasEnough
      }
      return try guess.finish()
    }
    if source != "-" { proposal.definition.source = address }
    proposal.definition.isPublicOnly = isPublicOnly
    return proposal
  }

  /// Reads a feed by its definition without storing anything.
  ///
  /// - Parameters:
  ///   - kind: the kind of the document if its format says what its items are; such a document may
  ///     have none yet.
  ///   - firstCount: the most offers in `FeedCheckResult.first`.
  /// - Throws: `OffersError` with `unexpectedShape` if no record is an offer, `limitExceeded` as `propose`; as
  ///   `SyncEngine.check`.
  func check(
    _ definition: FeedDefinition, of kind: WellKnownKind? = nil, firstCount: Int,
    options: SyncOptions
  ) async throws -> FeedCheckResult {
    let check = try await Self.inTime(seconds: options.limits.totalSeconds) {
      try await openEngine().check(definition, from: nil, firstCount: firstCount, options: options)
    }
    if check.offerCount > 0 || kind != nil && check.recordCount == 0 { return check }
    let places = definition.items.map {
      $0.steps.isEmpty ? "the top level" : $0.descriptionFromRoot
    }
    let reason = check.problems.first.map { " Record \($0.position): \($0.reason)." } ?? ""
    throw OffersError(
      .unexpectedShape,
      "No record at \(places.joined(separator: " or ")) is an offer; \(check.recordCount) seen."
        + reason,
      hint: "Give the paths with --items and --map id=… name=…")
  }

  /// Runs work on a thread of its own, and cancels it when its time is over.
  ///
  /// - Throws: the error of `body`; `OffersError` with `limitExceeded` after `seconds`.
  static func inTime<Value: Sendable>(
    seconds: Double, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await Timeout.run(seconds: seconds) {
      try await OwnThread.runTask(body)
    } late: {
      OffersError(
        .limitExceeded,
        "Looking at the document took longer than \(Int(clamped: seconds)) seconds.",
        hint: "Nothing was changed. Try again later.")
    }
  }

  private func openEngine() async throws -> SyncEngine {
    SyncEngine(
      store: try await StoreLocation.inMemory(), transport: transport,
      environment: ProcessContext.findVariable)
  }

  /// A source in the form in which a definition contains it: the path of a file is absolute.
  static func address(of source: String) throws -> Template {
    let text = try SyncSource(parsing: source).text
    return (try? Template(parsing: text, for: .source)) ?? Template([.literal(text)])
  }
}
