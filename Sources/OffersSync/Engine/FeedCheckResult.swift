import Foundation
import OffersCore
import OffersFeeds

/// The result of reading a feed without storing anything.
package struct FeedCheckResult: Sendable {
  /// The number of records, including invalid ones.
  package var recordCount = 0
  /// The number of records that are valid offers, repeated ones included.
  package var offerCount = 0
  package var skippedCount = 0
  package var mendedCount = 0
  /// The problems of the first records that were skipped or mended, up to `SyncRun.problemLimit`.
  package var problems: [ReadProblem] = []
  /// The number of offers with each field.
  package var fieldCounts: [OfferField: Int] = [:]
  /// The number of offers with each attribute, by label.
  package var attributeCounts: [String: Int] = [:]
  /// The number of offers whose reward text was parsed to an amount or a percentage.
  package var exactRewardCount = 0
  /// The number of offers with an amount whose currency is unknown.
  package var unknownCurrencyCount = 0
  /// The first offers, as a sync would store them.
  package var first: [Offer] = []
  /// The number of offers with the same id as an earlier one in the feed.
  package var repeatedCount = 0
  package var bytes = 0
  package var title: String?
  /// The attributes that all offers of the feed share.
  package var shared: [OfferAttribute] = []
  /// The number of pages with offers that no earlier one has.
  package var pageCount = 1
  /// Whether the last page only repeats earlier ones.
  package var isRepeating = false
  /// Whether the feed has more offers, which its definition does not read.
  package var isPartial = false
}

extension FeedCheckResult {
  /// One sentence about how many offers have a reward or price and an end, and how many of them by their text;
  /// nil if there are no offers.
  package func valueNote(_ definition: FeedDefinition) -> String? {
    if offerCount == 0 { return nil }
    let role = definition.presentation.valueRole
    func part(_ field: OfferField, _ noun: String, _ label: String) -> String {
      let count = fieldCounts[field] ?? 0
      let read = attributeCounts[label] ?? 0
      let source =
        read == 0
        ? "" : read == count ? " from the text" : " (\(Units.count(read)) from the text)"
      // Offers that repeat an earlier one are not counted before the colon.
      let amount =
        count == offerCount
        ? "all" : count == 0 ? "none" : Units.count(min(count, offerCount - repeatedCount))
      return "\(amount) with \(noun)\(source)"
    }
    let value = part(.reward, "a \(role.rawValue)", TextReadings.label(role))
    let end = part(.expiresAt, "an end", TextReadings.endLabel)
    let isEmpty = fieldCounts[.reward, default: 0] + fieldCounts[.expiresAt, default: 0] == 0
    let isWhole = fieldCounts[.reward] == offerCount && fieldCounts[.expiresAt] == offerCount
    let parts = isEmpty ? "none with a \(role.rawValue) or an end" : "\(value), \(end)"
    let reason = isWhole || definition.readsText ? "" : "; the text is not read"
    let pages = pageCount > 1 ? "\(Units.count(pageCount, "page")), " : ""
    let count = Units.count(offerCount - repeatedCount, definition.presentation.noun)
    return "\(pages)\(count): \(parts)\(reason)."
  }
}

/// Receives a feed's offers and gathers the statistics that show whether its definition fits.
private final class FeedCheckSink: OfferSink {
  private(set) var check = FeedCheckResult()
  private let definition: FeedDefinition
  private let rewards: RewardParser
  private let firstCount: Int
  private let now: Date
  /// The hashes of the ids seen so far, which take less memory than the ids themselves.
  private var ids: Set<UInt64> = []

  init(_ definition: FeedDefinition, firstCount: Int, now: Date) {
    self.definition = definition
    self.firstCount = firstCount
    self.now = now
    rewards = RewardParser(
      feedCurrency: definition.currency, role: definition.presentation.valueRole)
  }

  func accept(_ record: OfferRecord, position: Int) {
    check.offerCount += 1
    for field in OfferField.allCases where record[field] != nil {
      check.fieldCounts[field, default: 0] += 1
    }
    let offer = offer(of: record)
    var id = ContentHash(seed: 3)
    var text = record[.id] ?? ""
    text.withUTF8 { id.combine(UnsafeRawBufferPointer($0)) }
    if !ids.insert(id.value).inserted { check.repeatedCount += 1 }
    for attribute in offer.attributes { check.attributeCounts[attribute.label, default: 0] += 1 }
    if let value = offer.reward?.value {
      check.exactRewardCount += 1
      if case .amount(_, nil) = value { check.unknownCurrencyCount += 1 }
    }
    if check.first.count < firstCount { check.first.append(offer) }
  }

  func skip(id: String?, position: Int, reason: String) {
    check.skippedCount += 1
    note(ReadProblem(position: position, effect: .skipped, reason: reason))
  }

  func mend(position: Int, reason: String) {
    check.mendedCount += 1
    note(ReadProblem(position: position, effect: .mended, reason: reason))
  }

  /// Replaces the values of variables in the problems by the variables' names.
  func hide(_ secrets: SecretRedactor) { check.problems = check.problems.hiding(secrets) }

  func finish(_ reading: FeedPages.Reading?, records: Int, bytes: Int) -> FeedCheckResult {
    check.title = reading?.facts.title
    check.shared = reading?.facts.shared ?? []
    check.pageCount = reading?.pageCount ?? 1
    check.isRepeating = reading?.isRepeating ?? false
    check.isPartial = reading?.isPartial ?? false
    check.recordCount = records
    check.bytes = bytes
    return check
  }

  private func note(_ problem: ReadProblem) {
    if check.problems.count < SyncRun.problemLimit { check.problems.append(problem) }
  }

  private func offer(of record: OfferRecord) -> Offer {
    func date(_ field: OfferField) -> Date? {
      record[field].flatMap(Double.init).map { Date(timeIntervalSince1970: $0) }
    }
    var offer = Offer(
      ref: OfferRef(feed: definition.name, offerID: record[.id] ?? ""), name: "",
      reward: rewards.findReward(of: record),
      categories: record[.categories].map(JSONTexts.parse) ?? [], startsAt: date(.startsAt),
      expiresAt: date(.expiresAt), latitude: record[.latitude].flatMap(Double.init),
      longitude: record[.longitude].flatMap(Double.init),
      attributes: record[.attributes].map(OfferAttribute.parse) ?? [], firstSeenAt: now,
      changedAt: now)
    for field in OfferField.texts { offer[field] = record[field] }
    return offer
  }
}

extension SyncEngine {
  /// Reads a feed by its definition without storing anything.
  ///
  /// - Parameters:
  ///   - source: the source to read instead of the one in use; nil for the latter.
  ///   - state: the stored state of the feed, whose named source is in use; nil for the source of
  ///     the definition. A source that was not named on this machine is read with the same
  ///     restrictions as in a sync.
  ///   - firstCount: the most offers in `FeedCheckResult.first`.
  ///   - options: the limits, the pages and the access to networks, as in a sync.
  /// - Throws: `OffersError` if the source is not allowed or cannot be read, or the document cannot
  ///   be parsed; `CancellationError`. A document without valid offers is no error.
  package func check(
    _ definition: FeedDefinition, from source: SyncSource?, state: SyncState? = nil,
    firstCount: Int = 3, options: SyncOptions = SyncOptions()
  ) async throws -> FeedCheckResult {
    try await withPages(of: definition, from: source, state, options) { pages in
      let sink = FeedCheckSink(definition, firstCount: firstCount, now: now())
      var bytes = 0
      var records = 0
      let reading = try await pages.read(
        into: FeedPages.Receiver(
          begin: {}, sink: sink,
          piece: { piece, _, count in
            bytes += piece.count
            records = count
          }, nextPage: { _ in }))
      sink.hide(pages.secrets)
      return sink.finish(reading, records: records, bytes: bytes)
    }
  }

  /// Reads the beginning of a document, decompressed, to guess a definition from it.
  ///
  /// - Parameters:
  ///   - sources: the sources to try, which count as those in a definition. A further one is read only if the
  ///     server of the one before gave no answer at all; never if its certificate was wrong.
  ///   - isPublicOnly: whether the source was not named on this machine, so that it must be on the
  ///     public internet.
  ///   - headers: the headers of the requests, as in a definition.
  ///   - handle: receives the bytes, and the encoding that the server declared; returns false to stop reading.
  package func readStart(
    of sources: [Template], isPublicOnly: Bool = false, headers: [RequestHeader] = [],
    options: SyncOptions = SyncOptions(),
    _ handle: (UnsafeRawBufferPointer, _ charset: String?) throws -> Bool
  ) async throws -> ReadStart {
    var definition = FeedDefinition(
      name: "feed", id: .value(FieldRule(.path(.itself))), fields: [:])
    definition.isPublicOnly = isPublicOnly
    definition.headers = headers
    for (index, source) in sources.enumerated() {
      definition.source = source
      let isLast = index == sources.count - 1
      let start = try await withPages(of: definition, from: nil, nil, options) {
        pages -> ReadStart? in
        do {
          let head = try await pages.readBytes(handle)
          return ReadStart(source: source, head)
        } catch let error as OffersError where !isLast && error.code == .sourceFailed {
          let answer = pages.fetching.log.answer
          let isCertain = [.stranger, .unknownName, .noNetwork].contains(answer.contact)
          if answer.status != nil || isCertain { throw error }
          return nil
        }
      }
      if let start { return start }
    }
    throw sourceless(definition, nil)
  }

  private func withPages<Result: Sendable>(
    of definition: FeedDefinition, from source: SyncSource?, _ state: SyncState?,
    _ options: SyncOptions, _ body: (FeedPages) async throws -> Result
  ) async throws -> Result {
    guard let source = try self.source(of: definition, source?.validated(), state, options) else {
      throw sourceless(definition, state)
    }
    try source.check(definition)
    return try await withTransport { transport in
      let pages = FeedPages(
        definition: definition, source: source.document, template: source.template,
        options: options, environment: environment,
        fetching: context(source, options, transport), now: now())
      do {
        return try await OwnThread.runTask { try await body(pages) }
      } catch let error as OffersError {
        throw error.hiding(pages.secrets)
      }
    }
  }
}

/// The beginning of a document that was read, without its bytes.
package struct ReadStart: Sendable {
  /// The source among those that were tried.
  package let source: Template
  /// The final URL of the document; nil if it does not come from a server.
  package let address: String?
  /// The encoding that the server declared; nil if it declared none.
  package let charset: String?
  /// The links of the response's head.
  package let links: [PageLink]
  /// What the source and the response's head say about further pages.
  package let origin: PagesGuess.Origin

  init(source: Template, _ head: DocumentMetadata) {
    self.source = source
    address = head.address
    charset = head.charset
    links = head.links
    let fields = head.fields.map { ($0.name.lowercased(), $0.value) }
    origin = PagesGuess.Origin(
      source: source.description, fields: Dictionary(fields) { first, _ in first },
      hasNextLink: head.nextLink != nil)
  }
}
