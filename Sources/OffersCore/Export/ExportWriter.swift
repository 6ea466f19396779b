/// Streams an export as a JSON document, one record per line.
///
/// The output is deterministic: the same records yield the same bytes.
package struct ExportWriter {
  private let write: ([UInt8]) throws -> Void
  private var buffer: [UInt8] = []
  private var section: ExportRecord.Section?
  private var isFirst = true
  private static let bufferBytes = 256 << 10

  /// - Parameter write: receives the next bytes of the document.
  package init(to write: @escaping ([UInt8]) throws -> Void) throws {
    self.write = write
    buffer.reserveCapacity(Self.bufferBytes + 4096)
    append("{\"format\":\"\(ExportFormat.name)\",\"version\":\(ExportFormat.version)")
  }

  /// Writes a record. Records must be added in the order of their sections.
  package mutating func add(_ record: ExportRecord) throws {
    try open(record.section)
    append(isFirst ? "\n" : ",\n")
    isFirst = false
    buffer += Self.bytes(of: record)
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  /// The JSON text of a record.
  package static func bytes(of record: ExportRecord) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      switch record {
      case .feed(let feed): write(feed, to: &json)
      case .run(let run): write(run, to: &json)
      case .offer(let offer): write(offer, to: &json)
      case .change(let change): write(change, to: &json)
      case .user(let user): write(user, to: &json)
      case .favorite(let favorite):
        json.member("user", favorite.user)
        json.member("ref", favorite.ref.description)
        json.member("starred_at", time: favorite.starredAt)
        if let sharedAt = favorite.sharedAt { json.member("shared_at", time: sharedAt) }
      }
    }
    return json.bytes
  }

  /// Writes the sections that have no records, and the document's end.
  package mutating func finish() throws {
    try open(.favorites)
    append("\n]}\n")
    try flush()
  }

  /// Closes the current section and opens the next ones, up to the given one.
  private mutating func open(_ next: ExportRecord.Section) throws {
    let begun = section.map { $0.rawValue + 1 } ?? 0
    if next.rawValue < begun { return }
    for number in begun...next.rawValue {
      guard let section = ExportRecord.Section(rawValue: number) else { continue }
      append((self.section == nil ? "" : "\n]") + ",\n\"\(section.name)\":[")
      self.section = section
      isFirst = true
    }
  }

  private mutating func append(_ text: String) { buffer += text.utf8 }

  private mutating func flush() throws {
    try write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private static func write(_ feed: ExportedFeed, to json: inout JSONWriter) {
    json.member("name", feed.name)
    json.member("title", feed.title)
    json.member("source", feed.source)
    json.member("chosen_source", feed.chosenSource)
    json.member("subscribed_at", time: feed.subscribedAt)
    json.member("unsubscribed_at", time: feed.unsubscribedAt)
    json.member("shared") { $0.value(feed.shared) }
    json.member("presentation", object: feed.presentation) { $0.members(of: $1) }
    guard let definition = feed.definition else { return }
    json.member("definition", definition.text)
    json.member("every_seconds", definition.everySeconds)
    json.member("currency", definition.currency)
  }

  private static func write(_ run: ExportedRun, to json: inout JSONWriter) {
    json.member("feed", run.feed)
    json.member("source", run.source)
    json.member("started_at", time: run.startedAt)
    json.member("duration_milliseconds", run.durationMilliseconds)
    json.member("outcome", run.outcome.rawValue)
    json.member("bytes", run.bytes)
    for (name, count) in zip(ExportedRun.countNames, run.counts) { json.member(name, count) }
    json.member("error", object: run.error) { json, error in
      json.member("code", error.code)
      json.member("message", error.message)
      json.member("hint", error.hint)
    }
  }

  private static func write(_ offer: ExportedOffer, to json: inout JSONWriter) {
    json.member("ref", offer.ref.description)
    for field in OfferField.main { write(field, of: offer, to: &json) }
    json.member("first_seen_at", time: offer.firstSeenAt)
    json.member("changed_at", time: offer.changedAt)
    json.member("gone_at", time: offer.goneAt)
    for field in OfferField.details { write(field, of: offer, to: &json) }
  }

  private static func write(
    _ field: OfferField, of offer: ExportedOffer, to json: inout JSONWriter
  ) {
    switch field {
    case .reward: json.member(field.name, offer.reward)
    case .categories:
      json.member(field.name, each: offer[field].map(JSONTexts.parse) ?? []) { $0.value($1) }
    case .attributes:
      json.member(field.name) { $0.value(offer[field].map(OfferAttribute.parse) ?? []) }
    case .startsAt, .expiresAt: json.member(field.name, time: offer.seconds(field))
    case .latitude, .longitude:
      json.member(field.name, number: offer.degrees(field).map { "\($0)" })
    default: json.member(field.name, offer[field])
    }
  }

  private static func write(_ user: ExportedUser, to json: inout JSONWriter) {
    json.member("name", user.name)
    json.member("role", user.role.rawValue)
    json.member("owner", user.isOwner)
    json.member("created_at", time: user.createdAt)
    json.member("searches", objects: user.searches) { json, search in
      json.member("words", search.words)
      json.member("feed", search.feed)
      json.member("searched_at", time: search.searchedAt)
    }
    json.member("read_marks", objects: user.marks) { json, mark in
      json.member("reader", mark.reader)
      json.member("run", mark.run)
      json.member("read_at", time: mark.readAt)
    }
    if !user.watches.isEmpty {
      json.member("watches", objects: user.watches) { json, watch in
        json.member("name", watch.name)
        json.member("selection", watch.selection)
        json.member("rule", watch.rule)
        json.member("repeat", watch.repeats.rawValue)
        json.member("urgent", watch.isUrgent)
        json.member("created_at", time: watch.createdAt)
        json.member("paused_at", time: watch.pausedAt)
      }
    }
    if !user.channels.isEmpty {
      json.member("channels", objects: user.channels) { json, channel in
        json.member("name", channel.name)
        json.member("settings", channel.settings)
        json.member("quiet", channel.quietHours)
      }
    }
  }

  private static func write(_ change: ExportedChange, to json: inout JSONWriter) {
    json.member("ref", change.ref.description)
    json.member("run", change.run)
    json.member("kind", change.kind.rawValue)
    // A damaged database may hold anything here; JSON has no control characters of its own.
    let isWhole = change.fields?.unicodeScalars.allSatisfy {
      $0.properties.generalCategory != .control
    }
    json.member("fields", number: isWhole == true ? change.fields : nil)
  }
}

extension JSONWriter {
  /// Writes a member whose value is a time, or null.
  fileprivate mutating func member(_ name: String, time seconds: Int64?) {
    member(name, seconds.map(ISOTime.text))
  }
}

/// The contents of an export that was written.
public struct ExportSummary: Hashable, Sendable {
  /// The number of offers, including those that their feeds no longer have.
  public package(set) var offers = 0
  /// The number of users whose data was written.
  public package(set) var users = 0
  /// The number of favorites, including those whose offers are not stored.
  public package(set) var favorites = 0
  /// The number of changes in the history of the offers.
  public package(set) var changes = 0
  /// The size of the document in bytes.
  public package(set) var bytes = 0

  /// Creates a summary of its parts; the properties describe them.
  public init(
    offers: Int = 0, users: Int = 0, favorites: Int = 0, changes: Int = 0, bytes: Int = 0
  ) {
    self.offers = offers
    self.users = users
    self.favorites = favorites
    self.changes = changes
    self.bytes = bytes
  }

  /// Writes an export document.
  ///
  /// - Parameters:
  ///   - append: receives the next bytes of the document.
  ///   - progress: receives the number of records that have been written.
  ///   - forEachRecord: passes each record to `add`, in the order of their sections.
  package init(
    writing append: (UnsafeRawBufferPointer) throws -> Void,
    progress: @escaping (Int) -> Void = { _ in },
    _ forEachRecord: (_ add: (ExportRecord) throws -> Void) throws -> Void
  ) throws {
    var summary = (offers: 0, users: 0, favorites: 0, changes: 0, bytes: 0)
    try withoutActuallyEscaping(append) { append in
      var writer = try ExportWriter { piece in
        summary.bytes += piece.count
        try piece.withUnsafeBytes(append)
      }
      var done = 0
      try forEachRecord { record in
        try writer.add(record)
        switch record {
        case .offer: summary.offers += 1
        case .user: summary.users += 1
        case .favorite: summary.favorites += 1
        case .change: summary.changes += 1
        case .feed, .run: break
        }
        done += 1
        progress(done)
      }
      try writer.finish()
    }
    (offers, users, favorites, changes, bytes) = summary
  }
}
