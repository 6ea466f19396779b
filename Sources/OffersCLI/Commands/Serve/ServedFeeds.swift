import Foundation
import Logging
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersServer
import OffersStore
import OffersSync
import Synchronization

/// The implementation of the server's protocol `FeedSyncer` by the sync engine, the file of definitions, and
/// those of the database, which other servers may change.
struct ServedFeeds: FeedSyncer {
  let database: OffersDatabase
  let configurationPath: SettingPath
  let allowsPrivateNetwork: Bool
  let log: Log
  /// Is called after each sync, whose notices are then to be delivered.
  var afterSync: @Sendable () -> Void = {}

  private let known = KnownFeedCache()
  private let findVariable = ProcessContext.findVariable

  var own: OwnFeeds { OwnFeeds(file: configurationPath, database: database) }

  private func engine(_ configuration: FeedConfiguration) -> SyncEngine {
    SyncEngine(
      store: database, configuration: configuration, environment: findVariable,
      logger: log.logger)
  }

  private func allowsPrivateNetwork(_ configuration: FeedConfiguration) -> Bool {
    allowsPrivateNetwork || configuration.allowsPrivateNetwork
  }

  func fetchKnownFeeds() async throws -> [KnownFeed] {
    let yaml = try configurationPath.read()
    let stored = try await database.fetchDefinitions()
    return try known.feeds(of: yaml, stored) {
      try configurationPath.configuration(reading: yaml).including(stored).knownFeeds()
    }
  }

  func setInterval(_ everySeconds: Int?, of feed: String) async throws -> Bool {
    try await own.set([.everySeconds(everySeconds)], of: feed) == [true]
  }

  func sync(
    _ parameters: SyncParameters,
    progress: @escaping @Sendable (SyncProgress) -> Void,
    finished: @escaping @Sendable (String, Result<SyncRun, OffersError>) -> Void
  ) async throws {
    let configuration = try await own.configuration()
    let names =
      parameters.feeds.isEmpty
      ? try await database.fetchSubscribedFeeds().filter(configuration.names.contains)
      : parameters.feeds
    var options = SyncOptions(
      source: parameters.source, acceptsRemovals: parameters.acceptsRemovals,
      reason: parameters.reason,
      // A request from this machine is not trusted either: it may come from a proxy or another
      // user.
      sourceMayBePrivate: false, allowsPrivateNetwork: allowsPrivateNetwork(configuration))
    options.keepsMissing = parameters.keepsMissing
    options.fallbackSource = FeedSummary.fallbackSource
    try await engine(configuration).run(
      names, options: options, progress: progress, finished: finished)
    try await database.prepareSearch()
    // A channel that does not answer holds up no sync.
    afterSync()
  }

  func search(
    _ feed: String, for words: String, page: Int, limit: Int?
  ) async throws -> ServerSearchResults {
    let configuration = try await own.configuration()
    var options = SyncOptions(allowsPrivateNetwork: allowsPrivateNetwork(configuration))
    options.lockWaitSeconds = 2
    // A person waits for the results, and gets the stored offers instead.
    options.limits.idleSeconds = 10
    options.limits.totalSeconds = 12
    return try await engine(configuration).search(
      feed, for: words, page: page, limit: limit, options: options)
  }
}

/// The known feeds of the last content of the file of definitions and of the database, so that a server parses
/// the definitions only when they have changed.
final class KnownFeedCache: Sendable {
  private let kept = Mutex<(yaml: String?, stored: [StoredDefinition], feeds: [KnownFeed])?>(nil)

  /// Returns the feeds of the content, which `parse` returns unless they are kept.
  func feeds(
    of yaml: String?, _ stored: [StoredDefinition], _ parse: () throws -> [KnownFeed]
  ) rethrows -> [KnownFeed] {
    if let kept = kept.withLock({ $0 }), kept.yaml == yaml, kept.stored == stored {
      return kept.feeds
    }
    let feeds = try parse()
    kept.withLock { $0 = (yaml, stored, feeds) }
    return feeds
  }
}

/// The implementation of the server's protocol `FeedAdder` by the guess of `offers feeds add`. The
/// sources are named from outside this machine, so that they are public only.
extension ServedFeeds: FeedAdder {
  private static let shownCount = 6
  /// The longest time for each of the two looks at a source: the guess and its trial. Others wait for it.
  private static let lookSeconds = 120.0
  private static let titleCount = 200

  func propose(source: String, name: String?) async throws -> FeedProposal {
    let configuration = try await own.configuration()
    if let name {
      try FeedName.check(name)
      try OwnFeeds.check(name, isNewIn: configuration)
    }
    let hint = SentAddress.addingHint(source)
    try SentAddress.checkPasted(source)
    var taken = Set(configuration.names)
    taken.formUnion(try await database.fetchFeeds().map(\.name))
    taken.formUnion(try await database.fetchFormerFeeds().map(\.name))
    let options = SyncOptions(
      limits: FetchLimits(totalSeconds: Self.lookSeconds),
      allowsPrivateNetwork: allowsPrivateNetwork(configuration))
    do {
      return try await FeedGuess.use {
        try await read(source, name: name, besides: taken, $0, options)
      }
    } catch let error as OffersError
      where error.hint?.command != nil || error.code == .unexpectedShape
    {
      // The advice is to name the source, to map fields, or to allow private networks: all of it is
      // done on the server's own machine.
      throw OffersError(error.code, error.message, hint: hint, cause: error.cause)
    }
  }

  private func read(
    _ source: String, name: String?, besides taken: Set<String>, _ guesses: FeedGuess,
    _ options: SyncOptions
  ) async throws -> FeedProposal {
    var guess = try await guesses.propose(
      FeedGuess.Request(
        name: name ?? Self.unnamed, source: source, isPublicOnly: true, options: options))
    try await guesses.addPages(to: &guess, options)
    var definition = guess.definition
    let check = try await guesses.check(
      definition, of: guess.kind, firstCount: Self.shownCount, options: options)
    let title = check.title == definition.name ? nil : check.title
    if name == nil {
      let found =
        ([title] + Self.parts(of: definition.source?.description ?? source) + [Self.unnamed]).lazy
        .compactMap { text in
          text.flatMap { FeedName.suggestion(for: $0, besides: taken) }
        }.first
      definition.rename(to: found ?? definition.name)
    }
    return FeedProposal(
      source: definition.source?.description ?? source, name: definition.name, title: title,
      format: definition.format?.rawValue, presentation: definition.presentation,
      fields: check.fields(of: definition).filter { $0.count > 0 }.map {
        FeedProposal.Field(name: $0.name, from: $0.places, offerCount: $0.count)
      }, recordCount: check.recordCount,
      offerCount: check.offerCount, offers: check.first, notes: guess.notes,
      definition: DefinitionText.yaml(for: definition))
  }

  func add(_ proposal: FeedProposal, name: String, title: String?) async throws {
    try FeedName.check(name)
    var definition = try FeedConfiguration(yaml: proposal.definition, name: "definition")
      .fetch(proposal.name)
    definition.rename(to: name)
    if let title {
      guard title.count <= Self.titleCount, !title.contains(where: \.isNewline) else {
        throw OffersError(
          .invalidRequest, "A title is one line of at most \(Self.titleCount) characters.")
      }
      definition.title = TextRule(.constant(title))
    }
    try await own.add(definition)
  }

  /// The name of a feed until its title is known.
  private static let unnamed = "feed"

  /// The parts of an address that may name a feed: the name of the document, and the host.
  private static func parts(of source: String) -> [String?] {
    let url = URL(string: source)
    let document = url?.deletingPathExtension().lastPathComponent
    let labels = url?.host?.split(scalar: ".").filter { $0 != "www" } ?? []
    return [document, labels.dropLast(labels.count > 1 ? 1 : 0).joined(separator: " ")]
  }
}

extension FeedCheckResult {
  typealias FoundField = (field: OfferField, name: String, places: String, count: Int)

  /// The fields and attributes of a definition, in its order, and how many offers have each.
  func fields(of definition: FeedDefinition) -> [FoundField] {
    var rows: [FoundField] = [(.id, "id", definition.id.places, fieldCounts[.id] ?? 0)]
    for field in OfferField.allCases {
      let role = definition.presentation.valueRole
      guard definition.fields[field] != nil || fieldCounts[field] != nil,
        let name = field.definitionName(role)
      else { continue }
      let places = definition.fields[field]?.places ?? "the text"
      rows.append((field, name, places, fieldCounts[field] ?? 0))
    }
    for attribute in definition.attributes {
      let count = attributeCounts[attribute.label] ?? 0
      rows.append((.attributes, attribute.label, attribute.rule.places, count))
    }
    return rows
  }
}

extension FeedDefinition {
  /// Changes the name, and the title if that is only the name.
  fileprivate mutating func rename(to name: String) {
    if title == TextRule(.constant(self.name)) { title = TextRule(.constant(name)) }
    self.name = name
  }
}
