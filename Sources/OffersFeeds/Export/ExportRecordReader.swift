import OffersCore

/// Reads the records of an export, and refuses values that a database would refuse.
final class ExportRecordReader {
  private let feed = ExportObject([
    "name", "title", "source", "chosen_source", "subscribed_at", "unsubscribed_at", "shared",
    "presentation", "definition", "every_seconds", "currency",
  ])
  private let presentation = ExportObject(["layout", "noun", "nouns", "value_role", "byline"])
  private let run = ExportObject(
    ["feed", "source", "started_at", "duration_milliseconds", "outcome", "bytes"]
      + ExportedRun.countNames + ["error"])
  private let failure = ExportObject(["code", "message", "hint"])
  private let offer = ExportObject(
    ["ref"] + OfferField.main.map(\.name) + ExportRecordReader.offerTimes
      + OfferField.details.map(\.name))
  /// The members of an offer between its main fields and its details.
  private static let offerTimes = ["first_seen_at", "changed_at", "gone_at"]
  private let reward = ExportObject([
    "text", "kind", "minor_units", "currency", "percent", "up_to",
  ])
  private let change = ExportObject(["ref", "run", "kind", "fields"])
  private let user = ExportObject([
    "name", "role", "owner", "created_at", "searches", "read_marks", "watches", "channels",
  ])
  private let search = ExportObject(["words", "feed", "searched_at"])
  private let mark = ExportObject(["reader", "run", "read_at"])
  private let watch = ExportObject([
    "name", "selection", "rule", "repeat", "urgent", "created_at", "paused_at",
  ])
  private let channel = ExportObject(["name", "settings", "quiet"])
  private let favorite = ExportObject(["user", "ref", "starred_at", "shared_at"])
  /// A favorite in a document without users.
  private let plainFavorite = ExportObject(["ref", "starred_at"])
  private let attribute = ExportObject(["label", "value"])
  /// The maximum number of feeds.
  private static let feedLimit = 10_000
  /// The maximum number of users.
  private static let userLimit = 10_000
  /// The maximum number of searches, of read marks, of watches, and of channels, of a user.
  private static let userListLimit = 10_000
  /// The maximum size of the settings of a channel, in bytes.
  private static let settingsLimit = 64 << 10

  private var feedNames: Set<String> = []
  /// The feeds of the runs read so far; changes refer to a run by its number, counted from 1.
  private var runFeeds: [String] = []
  private var userNames: Set<[UInt8]> = []
  /// The names of the users read so far, without differences of case.
  private var foldedUserNames: Set<String> = []
  private var hasOwner = false
  /// Whether the document has users, whom its favorites name.
  var hasUsers = true

  /// Reads one record and moves past it.
  func read(
    _ section: ExportRecord.Section, _ scanner: JSONScanner, _ p: inout JSONScanner.Position
  ) throws -> ExportRecord {
    func take(_ object: ExportObject) throws { try object.read(scanner, &p, depth: 2) }
    switch section {
    case .feeds:
      try take(feed)
      return .feed(try readFeed())
    case .runs:
      try take(run)
      return .run(try readRun())
    case .offers:
      try take(offer)
      return .offer(try readOffer())
    case .changes:
      try take(change)
      return .change(try readChange())
    case .users:
      try take(user)
      return .user(try readUser())
    case .favorites:
      let object = hasUsers ? favorite : plainFavorite
      try take(object)
      return .favorite(try readFavorite(object, from: hasUsers ? 1 : 0))
    }
  }

  private func readFeed() throws -> ExportedFeed {
    var record = ExportedFeed()
    record.name = try feed.feedName(0)
    record.title = try feed.findText(1).map(Self.fitted)
    record.source = try feed.source(2)
    record.chosenSource = try feed.findText(3) == nil ? nil : feed.source(3)
    if record.chosenSource?.isEmpty == true { throw feed.fault(3, "is empty") }
    record.hideAddresses(isForOthers: false)
    record.subscribedAt = try feed.time(4)
    record.unsubscribedAt = try feed.findTime(5)
    let shared = try readAttributes(of: feed, 6)
    record.shared = OfferLimits.fit(shared) ?? shared
    if try feed.readObject(7, into: presentation) { record.presentation = try readPresentation() }
    record.definition = try readDefinition(of: record.name)
    if !feedNames.insert(record.name).inserted { throw feed.fault(0, "came before") }
    guard feedNames.count <= Self.feedLimit else {
      throw feed.fault(0, "is beyond the \(Self.feedLimit) feeds that an export may have")
    }
    return record
  }

  private func readDefinition(of name: String) throws -> StoredDefinition? {
    let definition = StoredDefinition(
      feed: name, text: try feed.findText(8),
      everySeconds: try feed.findNumber(9).map { Int(clamping: $0) },
      currency: try feed.findText(10))
    if !definition.isStorable {
      throw feed.fault(8, "or a setting beside it is empty or out of bounds")
    }
    return definition.isEmpty ? nil : definition
  }

  private func readPresentation() throws -> FeedPresentation {
    guard let layout: FeedLayout = try presentation.choice(0) else {
      let all = FeedLayout.allCases.map(\.rawValue).joined(separator: ", ")
      throw presentation.fault(0, "should be one of \(all)")
    }
    guard
      let noun = OfferNoun(
        storedSingular: try presentation.text(1), plural: try presentation.text(2))
    else {
      throw presentation.fault(
        1, "and “nouns” should be words of at most \(OfferNoun.maximumCharacters) letters")
    }
    guard let role: ValueRole = try presentation.choice(3) else {
      throw presentation.fault(3, "should be reward or price")
    }
    let byline = try presentation.texts(4)
    guard byline.count <= FeedPresentation.bylineLimit else {
      throw presentation.fault(4, "has more than \(FeedPresentation.bylineLimit) labels")
    }
    return FeedPresentation(
      layout: layout, noun: noun, valueRole: role, byline: byline.map(Self.fitted))
  }

  private func readRun() throws -> ExportedRun {
    var record = ExportedRun()
    record.feed = try run.feedName(0)
    try check(record.feed, run, 0)
    record.source = try run.source(1)
    record.startedAt = try run.time(2)
    record.durationMilliseconds = try run.number(3)
    guard let outcome: SyncOutcome = try run.choice(4), outcome != .skipped else {
      throw run.fault(4, "should be updated, unchanged, quarantined or failed")
    }
    record.outcome = outcome
    record.bytes = try run.number(5)
    let first = 6
    record.counts = try ExportedRun.countNames.indices.map { try run.number(first + $0) }
    let place = first + ExportedRun.countNames.count
    if try run.readObject(place, into: failure) {
      record.error = ExportedRun.Failure(
        code: Self.fitted(try failure.text(0)), message: Self.fitted(try failure.findText(1) ?? ""),
        hint: try failure.findText(2).map(Self.fitted))
    }
    guard record.isGood == (record.error == nil) else {
      throw run.fault(place, "belongs to runs that failed, and to no others")
    }
    // Older versions exported the addresses as they were read.
    record.hideAddresses(isForOthers: false)
    runFeeds.append(record.feed)
    return record
  }

  /// A feed's title, or a text of a run's error, cut to the limit of a name.
  private static func fitted(_ text: String) -> String {
    OfferLimits.fit(text, within: OfferLimits.nameBytes) ?? text
  }

  /// Reads an offer and applies `OfferLimits` to it, as the reader of feeds does. An export of an
  /// older version may exceed these limits.
  private func readOffer() throws -> ExportedOffer {
    var record = ExportedOffer()
    record.ref = try offer.ref(0)
    try check(record.ref.feed, offer, 0)
    var isCut = false
    func fit(_ text: String?, _ field: OfferField) -> String? {
      let limit = OfferLimits.bytes(of: field)
      guard let text, let cut = OfferLimits.fit(text, within: limit) else { return text }
      isCut = true
      return OfferLimits.isCut(field) ? cut : nil
    }
    func read(_ field: OfferField, _ place: Int) throws {
      switch field {
      case .name:
        let name = try offer.text(place)
        record.name = fit(name, field) ?? name
      case .reward:
        guard try offer.readObject(place, into: reward) else { return }
        let read = try readReward()
        record.reward = Reward(
          text: fit(read.text, field) ?? read.text, value: read.value, isUpTo: read.isUpTo)
      case .categories:
        let categories = try offer.texts(place)
        if categories.count > OfferLimits.categoryCount { isCut = true }
        record[field] = Self.json(
          categories.prefix(OfferLimits.categoryCount).map { fit($0, field) ?? $0 })
      case .startsAt: record.startsAt = try offer.findTime(place)
      case .expiresAt: record.expiresAt = try offer.findTime(place)
      case .latitude: record.latitude = try readDegrees(place, limit: 90)
      case .longitude: record.longitude = try readDegrees(place, limit: 180)
      case .attributes:
        let attributes = try readAttributes(of: offer, place)
        let fitting = OfferLimits.fit(attributes)
        record[field] = Self.json(fitting ?? attributes)
        if fitting != nil { isCut = true }
      default: record[field] = fit(try offer.findText(place), field)
      }
    }
    for field in OfferField.main { try read(field, field.rawValue) }
    let firstTime = OfferField.main.endIndex
    record.firstSeenAt = try offer.time(firstTime)
    record.changedAt = try offer.time(firstTime + 1)
    record.goneAt = try offer.findTime(firstTime + 2)
    for field in OfferField.details { try read(field, field.rawValue + Self.offerTimes.count) }
    record.isCut = isCut
    return record
  }

  private func readReward() throws -> Reward {
    let units = try reward.findNumber(2)
    let currency = try reward.findText(3)
    var value: Reward.Value?
    if let currency {
      guard units != nil else { throw reward.fault(2, "is missing beside the other one") }
      guard currency.utf8.count == 3, currency.utf8.allSatisfy({ $0 &- 0x41 < 26 }) else {
        throw reward.fault(3, "should be three capital letters")
      }
    }
    if let units { value = .amount(minorUnits: units, currency: currency) }
    if let percent = try reward.findLiteral(4) {
      guard let hundredths = Self.hundredths(percent) else {
        throw reward.fault(4, "should have two decimals at most")
      }
      if value != nil { throw reward.fault(4, "stands beside an amount") }
      value = .percent(hundredths: hundredths)
    }
    if let kind = try reward.findText(1), kind != Reward(text: "", value: value).kind.rawValue {
      throw reward.fault(1, "is not what the value is")
    }
    guard let text = try reward.findText(0) else { throw reward.fault(0, "is missing") }
    return Reward(text: text, value: value, isUpTo: try reward.truth(5))
  }

  private func readChange() throws -> ExportedChange {
    var record = ExportedChange()
    record.ref = try change.ref(0)
    guard let run = Int(exactly: try change.number(1)), (1...max(1, runFeeds.count)).contains(run),
      !runFeeds.isEmpty
    else {
      throw change.fault(1, "is none of the runs above")
    }
    guard runFeeds[run - 1] == record.ref.feed else {
      throw change.fault(1, "is a run of another feed")
    }
    record.run = run
    guard let kind: ExportedChange.Kind = try change.choice(2) else {
      throw change.fault(2, "should be new, changed, gone or back")
    }
    record.kind = kind
    if let fields = try change.findObject(3), let fault = ChangeFieldsLimits(fields).fault {
      throw change.fault(3, fault)
    }
    record.fields = try change.findObjectText(3)
    if kind == .changed, record.fields == nil { throw change.fault(3, "is missing") }
    return record
  }

  private func readUser() throws -> ExportedUser {
    var record = ExportedUser()
    record.name = try user.text(0)
    guard (try? User.check(name: record.name)) != nil else {
      throw user.fault(0, "should have 1 to 64 characters, without line ends")
    }
    guard let role: User.Role = try user.choice(1) else {
      throw user.fault(1, "should be viewer, member or admin")
    }
    record.role = role
    record.isOwner = try user.truth(2)
    record.createdAt = try user.findTime(3)
    record.searches = try readSearches()
    record.marks = try readMarks()
    record.watches = try readWatches()
    record.channels = try readChannels()
    if record.isOwner, hasOwner { throw user.fault(2, "is true for another user, too") }
    guard userNames.count < Self.userLimit else {
      throw user.fault(0, "is beyond the \(Self.userLimit) users that an export may have")
    }
    if !foldedUserNames.insert(User.folded(record.name)).inserted {
      throw user.fault(0, "came before")
    }
    userNames.insert(Array(record.name.utf8))
    hasOwner = hasOwner || record.isOwner
    return record
  }

  /// - Parameter first: the place of `ref` among the members; above 0, the first member is the name of the user.
  private func readFavorite(_ object: ExportObject, from first: Int) throws -> ExportedFavorite {
    var record = ExportedFavorite()
    if first > 0 {
      let name = try object.text(0)
      if !userNames.contains(Array(name.utf8)) {
        throw object.fault(0, "names none of the users above")
      }
      record.user = name
    }
    record.ref = try object.ref(first)
    record.starredAt = try object.time(first + 1)
    if first > 0 { record.sharedAt = try object.findTime(first + 2) }
    return record
  }

  private func readSearches() throws -> [ExportedUser.Search] {
    var searches: [ExportedUser.Search] = []
    try user.forEachObject(4, into: search) {
      guard searches.count < Self.userListLimit else { throw user.fault(4, "is too long") }
      let feed = try search.findText(1) == nil ? nil : search.feedName(1)
      searches.append(
        .init(
          words: Self.fitted(try search.text(0)), feed: feed, searchedAt: try search.time(2)))
    }
    return searches
  }

  private func readMarks() throws -> [ExportedUser.Mark] {
    var marks: [ExportedUser.Mark] = []
    try user.forEachObject(5, into: mark) {
      guard marks.count < Self.userListLimit else { throw user.fault(5, "is too long") }
      guard let run = Int(exactly: try mark.number(1)), (0...runFeeds.count).contains(run) else {
        throw mark.fault(1, "is none of the runs above")
      }
      marks.append(.init(reader: try mark.text(0), run: run, readAt: try mark.time(2)))
    }
    return marks
  }

  private func readWatches() throws -> [ExportedUser.SavedWatch] {
    var watches: [ExportedUser.SavedWatch] = []
    try user.forEachObject(6, into: watch) {
      guard watches.count < Self.userListLimit else { throw user.fault(6, "is too long") }
      guard let repeats: Watch.Repeat = try watch.choice(3) else {
        throw watch.fault(3, "should be default, never, daily or each")
      }
      let draft: WatchDraft
      do {
        draft = try WatchDraft(
          name: try watch.findText(0), selection: try watch.findText(1) ?? "",
          rule: try watch.text(2), repeats: repeats.rawValue, isUrgent: try watch.truth(4),
          FilterTextParser())
      } catch let error as OffersError {
        throw watch.fault(1, "is of no watch: \(error.message)")
      }
      watches.append(
        .init(
          name: draft.name, selection: draft.selection.description, rule: draft.rule.text,
          repeats: draft.repeats, isUrgent: draft.isUrgent, createdAt: try watch.time(5),
          pausedAt: try watch.findTime(6)))
    }
    return watches
  }

  private func readChannels() throws -> [ExportedUser.Channel] {
    var channels: [ExportedUser.Channel] = []
    try user.forEachObject(7, into: channel) {
      guard channels.count < Self.userListLimit else { throw user.fault(7, "is too long") }
      let settings = try channel.text(1)
      if settings.utf8.count > Self.settingsLimit { throw channel.fault(1, "is too long") }
      let quiet = try channel.findText(2)
      if let quiet, (try? QuietHours(parsing: quiet)) == nil {
        throw channel.fault(2, "should be hours, such as 22:00-7:00")
      }
      channels.append(
        .init(name: try channel.text(0), settings: settings, quietHours: quiet))
    }
    return channels
  }

  private func check(_ name: String, _ object: ExportObject, _ place: Int) throws {
    if !feedNames.contains(name) { throw object.fault(place, "names none of the feeds above") }
  }

  private func readDegrees(_ place: Int, limit: Double) throws -> Double? {
    guard let literal = try offer.findLiteral(place) else { return nil }
    guard let degrees = Double(literal), abs(degrees) <= limit else {
      throw offer.fault(place, "should lie between -\(Int(limit)) and \(Int(limit))")
    }
    return degrees
  }

  private func readAttributes(of object: ExportObject, _ place: Int) throws -> [OfferAttribute] {
    var attributes: [OfferAttribute] = []
    try object.forEachObject(place, into: attribute) {
      guard let label = try attribute.findText(0) else { throw attribute.fault(0, "is missing") }
      guard let value = try attribute.findText(1) else { throw attribute.fault(1, "is missing") }
      attributes.append(OfferAttribute(label: label, value: value))
    }
    return attributes
  }

  /// Encodes a list as the reader of feeds does, since the next sync compares the encoded text; nil
  /// for an empty list.
  private static func json(_ texts: [String]) -> String? {
    texts.isEmpty ? nil : JSONTextEncoder.list(texts.map(JSONTextEncoder.text))
  }

  private static func json(_ attributes: [OfferAttribute]) -> String? {
    attributes.isEmpty
      ? nil
      : JSONTextEncoder.list(
        attributes.map { JSONTextEncoder.list([$0.label, $0.value].map(JSONTextEncoder.text)) })
  }

  /// Parses a decimal number to hundredths: `2.5` is 250. Returns nil for more than two decimals,
  /// for exponents and for a number that is too large.
  private static func hundredths(_ literal: String) -> Int64? {
    let parts = literal.split(scalar: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = Int64(parts[0]) else { return nil }
    let decimals = parts.count == 2 ? String(parts[1]) : ""
    guard decimals.utf8.count <= 2,
      let rest = Int64((decimals + "00").prefix(2)), rest >= 0
    else { return nil }
    let scaled = whole.multipliedReportingOverflow(by: 100)
    let total =
      literal.hasPrefix("-")
      ? scaled.partialValue.subtractingReportingOverflow(rest)
      : scaled.partialValue.addingReportingOverflow(rest)
    return scaled.overflow || total.overflow ? nil : total.partialValue
  }
}

/// The limits of the `fields` of a change: `{"name":{"from":…,"to":…}}`.
///
/// A feed's offers are within `OfferLimits`, so a change of one has no longer text. One that is longer is
/// refused instead of cut, because no version of the program has written such a change.
private struct ChangeFieldsLimits {
  /// The maximum number of JSON values. It suffices for every field before and after the change, with lists as
  /// long as `OfferLimits` allows and longer.
  private static let valueLimit = 16_384

  /// The maximum size of names and numbers.
  private static let otherBytes = 1 << 20

  /// The first fault that was found in the fields; nil if there is none.
  private(set) var fault: String?
  private var valueCount = 0
  private var otherBytes = 0
  /// The maximum size of a text of the current field.
  private var limit = 0
  /// The rest of the maximum size of all texts of the current field.
  private var rest = 0

  init(_ fields: RecordValue) {
    guard case .object(let members) = fields else { return }
    var names: Set<[UInt8]> = []
    for (name, value) in members.lazy.map({ ($0.key, $0.value) }) where fault == nil {
      take(key: name)
      if fault != nil { break }
      if !names.insert(Array(name.utf8)).inserted { fault = "has “\(name.prefix(60))” twice" }
      // A field that this version does not know is short.
      let field = OfferField.allCases.first { $0.name.hasSameBytes(as: name) }
      limit = field.map(OfferLimits.bytes) ?? OfferLimits.nameBytes
      let count =
        switch field {
        case .categories: OfferLimits.categoryCount
        case .attributes: OfferLimits.attributeCount
        default: 1
        }
      // Before and after the change. The value of a reward has short texts beside the printed one.
      rest = 2 * limit * count + (1 << 10)
      take(value, of: name)
    }
  }

  private mutating func take(_ value: RecordValue, of name: String) {
    if fault != nil { return }
    count()
    switch value {
    case .text(let text), .mendedText(let text):
      rest -= text.utf8.count
      if text.utf8.count > limit {
        fault = "has a text in “\(name)” of more than \(OfferLimits.text(limit))"
      } else if rest < 0 {
        fault = "has more in “\(name)” than an offer may have"
      }
    case .list(let list): for element in list { take(element, of: name) }
    case .object(let members):
      for member in members {
        take(key: member.key)
        take(member.value, of: name)
      }
    case .number(let number): otherBytes += number.utf8.count
    case .null, .truth, .element: break
    }
    if otherBytes > Self.otherBytes {
      fault = "has more than \(OfferLimits.text(Self.otherBytes)) besides its texts"
    }
  }

  private mutating func take(key: String) {
    count()
    otherBytes += key.utf8.count
    if key.utf8.count > OfferLimits.nameBytes {
      fault = "has a name of more than \(OfferLimits.text(OfferLimits.nameBytes))"
    }
  }

  private mutating func count() {
    valueCount += 1
    if valueCount > Self.valueLimit { fault = "has more than \(Self.valueLimit) values" }
  }
}
