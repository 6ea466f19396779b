import OffersCore
import OffersFeeds
import OffersHTTP
import OffersSync

/// Guesses of a feed's definition from a document, and their trial.
struct FeedGuess {
  /// Loads each document once, for the guess, its trial and the sync after it.
  let transport: CachingTransport

  /// Calls a closure with guesses over connections of their own, which are closed at its end.
  static func use<Value>(_ body: (FeedGuess) async throws -> Value) async throws -> Value {
    try await withConnections { try await body(FeedGuess(over: $0)) }
  }

  /// Guesses over connections that are used for others, too.
  init(over connections: HTTPConnections) { transport = CachingTransport(connections) }

  /// Calls a closure with connections that are closed at its end.
  static func withConnections<Value>(
    _ body: (HTTPConnections) async throws -> Value
  ) async throws -> Value {
    let connections = HTTPConnections(environment: ProcessContext.findVariable)
    do {
      let value = try await body(connections)
      await connections.close()
      return value
    } catch {
      await connections.close()
      throw error
    }
  }

  /// A wish for a definition: the source, and what the user says about it.
  struct Request: Sendable {
    var name: String
    /// The source as the user typed it: also the address of a site, or `-` for standard input.
    var source: String
    /// The path of the offers in the document; nil to guess it.
    var items: FieldPath?
    /// The fields among `id` and `name` that the user has not mapped to a path.
    var missing = ["id", "name"]
    var format: FeedFormat?
    /// The headers of the requests, which only the server of the source receives.
    var headers: [RequestHeader] = []
    /// Whether the source was not named on this machine, so that it must be on the public internet.
    var isPublicOnly = false
    var options = SyncOptions()

    /// The sources that the text can mean, as definitions contain them.
    var sources: [Template] {
      get throws {
        let pasted =
          try isPublicOnly ? PastedAddress(source, isFile: nil) : PastedAddress(source)
        return try pasted.sources.map(FeedGuess.address)
      }
    }
  }

  /// Chooses among several feeds of a page by their descriptions; nil for none of them.
  typealias Choice = @Sendable (_ page: String, _ feeds: [String]) -> Int?

  /// Reads the start of a source, and guesses a definition from it. If the source is a web page, the definition
  /// is that of the feed that the page links to, or else of one at a usual place.
  ///
  /// - Parameter choose: asks which of several feeds is meant; nil if nobody can be asked.
  /// - Throws: `OffersError` as `SyncEngine.readStart` and `DefinitionGuess`, with `invalidRequest` for several
  ///   feeds among which nobody chose, `limitExceeded` if each of two looks takes longer than
  ///   `FetchLimits.totalSeconds`; `CancellationError`.
  func propose(
    _ request: Request, choose: Choice? = nil
  ) async throws -> DefinitionGuess.Proposal {
    try FeedName.check(request.name)
    let sources = try request.sources
    let site = SiteFeeds(request: request, engine: openEngine)
    let found = try await Self.inTime(seconds: request.options.limits.totalSeconds) {
      try await site.find(at: sources, canAsk: choose != nil)
    }
    guard case .several(let page, let candidates) = found else { return try found.proposal() }
    guard let index = choose?(page, candidates.map(\.text)), candidates.indices.contains(index)
    else { throw found.refusal(request) }
    return try await Self.inTime(seconds: request.options.limits.totalSeconds) {
      try await site.read(candidates[index], of: page)
    }
  }

  /// Asks on the terminal which of several feeds is meant; nil if nobody can be asked.
  static var question: Choice? {
    guard Confirmation.isPossible else { return nil }
    return { page, feeds in
      Output.note(.line("\(DisplayText.oneLine(page)) has several feeds:"))
      return Confirmation.choose(among: feeds)
    }
  }

  /// Adds the way to further pages to a proposal: the first of the usual ways that leads to other offers, of
  /// each of which two pages are read. Without one, a note says that there are more.
  func addPages(
    to proposal: inout DefinitionGuess.Proposal, _ options: SyncOptions
  ) async throws {
    let guessed = proposal
    if let definition = try await Self.inTime(
      seconds: options.limits.totalSeconds, { try await findPages(guessed, options) })
    {
      proposal.definition = definition
      return
    }
    proposal.definition.pages = proposal.pages.fallback ?? proposal.definition.pages
    if let note = proposal.pages.note { proposal.points.append(note) }
  }

  private func findPages(
    _ proposal: DefinitionGuess.Proposal, _ options: SyncOptions
  ) async throws -> FeedDefinition? {
    var options = options
    options.pages = 2
    for candidate in proposal.pages.candidates.prefix(Self.pageTrialLimit) {
      guard let definition = candidate.applied(to: proposal.definition) else { continue }
      do {
        let check = try await openEngine().check(
          definition, from: nil, firstCount: 0, options: options)
        if check.isRepeating || check.pageCount == 1 && proposal.pages.saysMore { continue }
        return definition
      } catch let error as OffersError where error.code != .limitExceeded {
        // The server refuses the parameters, or they lead to another document.
        try error.throwIfCancelled()
      }
    }
    return nil
  }

  private static let pageTrialLimit = 6

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

  @Sendable private func openEngine() async throws -> SyncEngine {
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
