import OffersCore

/// Proposes a definition for an unknown document, from its start.
///
/// Keeps no more than the first 4 MiB of the text; a sample that ends within a value is fine. The work is
/// linear in the size of the sample, and ends when the task is cancelled.
package final class DefinitionGuess {
  /// A proposed definition.
  package struct Proposal: Sendable {
    /// The definition, without a source.
    package var definition: FeedDefinition
    /// The number of items in the sample.
    package var itemCount: Int
    /// The points that the user should check, as whole sentences, besides the currency.
    package var points: [String]
    /// The kind of the document; nil if its format does not say what its items are.
    package var kind: WellKnownKind?
    /// The proposals of how to get to further pages, which only a trial can decide about.
    package var pages = PagesGuess()
    /// The members of the items, for values that the user maps to a field; nil for a known kind.
    var fields: FieldGuess?

    /// The sentence about amounts whose currency is unknown; nil if there are none.
    var currencyNote: String?

    /// All points that the user should check, as whole sentences.
    package var notes: [String] { points + [currencyNote].compactMap(\.self) }
  }

  private let name: String
  private let items: FieldPath?
  private let missing: [String]
  private let isOnWeb: Bool
  /// Takes any value as an offer.
  private var blank = FeedDefinition(
    name: "feed", id: .madeFrom([.itself]), fields: [.name: FieldRule(.path(.itself))])
  private var transcoder = TextTranscoder(charset: nil)
  private var hasBegun = false
  private var text: [UInt8] = []
  private var isCut = false
  private var isEnded = false

  private static let sampleBytes = 4 << 20

  /// - Parameters:
  ///   - name: the name of the feed; `finish` refuses an invalid one.
  ///   - items: the path of the offers; nil to find it.
  ///   - missing: the required values, `id` and `name`, that the user has not mapped. That no id is
  ///     found is an error only if the list contains `id`.
  ///   - isOnWeb: whether the document has an http or https address, from which relative addresses count.
  ///   - format: the document's format; nil to detect it.
  package init(
    name: String = "feed", items: FieldPath? = nil,
    missing: [String] = ["id", "name"], isOnWeb: Bool = true, format: FeedFormat? = nil
  ) {
    blank.format = format
    self.isOnWeb = isOnWeb
    self.name = name
    self.items = items
    self.missing = missing
  }

  /// True when the sample is full, so that the rest of the document need not be fetched.
  package var hasEnough: Bool { isCut }

  /// Reads the next bytes of the document, decompressed.
  ///
  /// - Parameter charset: the encoding that the server declares.
  /// - Throws: `OffersError` with `malformedFeed` when the encoding is not supported.
  package func consume(_ bytes: UnsafeRawBufferPointer, charset: String? = nil) throws {
    if !hasBegun {
      hasBegun = true
      transcoder = TextTranscoder(charset: charset)
    }
    if !isCut { try transcoder.consume(bytes, keep) }
  }

  private func keep(_ piece: UnsafeRawBufferPointer) {
    let room = Self.sampleBytes - text.count
    if piece.count > room { isCut = true }
    text.append(contentsOf: piece.prefix(room))
  }

  /// The feeds that the document links to if it is a web page; nil for another document. The document has
  /// ended.
  ///
  /// - Parameters:
  ///   - address: the URL of the page, after redirects.
  ///   - charset: the encoding that the server declares; nil for none.
  ///   - header: the links of the response's head.
  package func feedLinks(
    of address: String, charset: String?, header: [PageLink]
  ) throws -> FeedLinks? {
    try end()
    guard FormatDetection.isWebPage(text) else { return nil }
    var page = text
    if String(validating: text, as: UTF8.self) == nil {
      page = []
      let transcoder = TextTranscoder(charset: charset ?? "windows-1252", isCertain: true)
      func take(_ piece: UnsafeRawBufferPointer) { page.append(contentsOf: piece) }
      try text.withUnsafeBytes { try transcoder.consume($0, take) }
      try transcoder.finish(take)
    }
    return FeedLinks(page: page, address: address, header: header)
  }

  private func end() throws {
    if isEnded { return }
    isEnded = true
    if !isCut { try transcoder.finish(keep) }
  }

  /// Returns the proposal for the document, which has ended. This takes up to seconds of work.
  ///
  /// - Parameter origin: the source and the response of the document.
  /// - Throws: `OffersError` with `malformedFeed` for a web page and for an unreadable document;
  ///   `unexpectedShape` when no list of offers is found (the message names the lists of the
  ///   document), or when no stable values distinguish the offers; `invalidRequest` when the items
  ///   at a given path are not recognized as offers, or the name is not valid; `CancellationError`.
  package func finish(from origin: PagesGuess.Origin = PagesGuess.Origin()) throws -> Proposal {
    try FeedName.check(name)
    try end()
    if blank.format == nil, FormatDetection.isWebPage(text) { blank.format = .jsonLD }
    let format = try FormatDetection.find(in: text, definition: blank, isWhole: true) ?? .json
    let sample = Sample(text, as: format, definition: blank)
    var proposal: Proposal
    if items == nil || sample.isPage, let kind = WellKnownKind(sample) {
      proposal = try propose(kind, sample, format, origin)
    } else {
      try checkIsValid(sample)
      proposal = try propose(from: sample, format)
      findPages(&proposal, sample, format, origin)
    }
    if isCut { proposal.points.append("Only the first 4 MiB of the document were looked at.") }
    return proposal
  }

  private func findPages(
    _ proposal: inout Proposal, _ sample: Sample, _ format: FeedFormat, _ origin: PagesGuess.Origin
  ) {
    let isTree = format == .json || format == .xml
    proposal.pages = PagesGuess(
      root: isTree ? sample.root : nil, items: proposal.definition.items.first?.steps ?? [],
      itemCount: isCut ? nil : proposal.itemCount, kind: proposal.kind, from: origin)
    proposal.definition.pages = proposal.definition.pages ?? proposal.pages.plainRule
  }

  /// Proposes the definition of a known kind, without the first rules of its id that give more than a tenth of
  /// the items the id of another one, if the rules after them tell more items apart.
  private func propose(
    _ kind: WellKnownKind, _ sample: Sample, _ format: FeedFormat, _ origin: PagesGuess.Origin
  ) throws -> Proposal {
    var best = try kind.definition(named: name)
    var reading = try SampleReading(text, as: best, isCut: isCut)
    // A few items that repeat an id are listed twice, and skipped.
    for id in best.id.shorter where reading.repeatCount * 10 > reading.offerCount {
      var other = best
      other.id = id
      let next = try SampleReading(text, as: other, isCut: isCut)
      if next.ids.count > reading.ids.count { (best, reading) = (other, next) }
    }
    try readTexts(&best, &reading)
    var proposal = Proposal(
      definition: best, itemCount: reading.itemCount, points: reading.notes, kind: kind)
    findPages(&proposal, sample, format, origin)
    let isWindow = reading.isNewestFirst && (!reading.statesPrices || sample.hasDeals)
    if kind.isNews, isWindow, !proposal.pages.saysMore {
      proposal.definition.isWindow = true
      proposal.points.append(
        "The feed shows its newest entries: those that it no longer shows stay in the list for 30 days. If "
          + "it always has all that are valid, write window: false in the definition.")
    }
    if kind == .shopify { proposal.currencyNote = Self.currencyNote("USD", .price) }
    return proposal
  }

  /// Decides what is read from the texts of the offers: rewards or prices where the document has members for
  /// neither, dates in which order, or nothing if that is found in a few of the offers only, as in news.
  private func readTexts(_ definition: inout FeedDefinition, _ reading: inout SampleReading) throws
  {
    guard definition.readsText else { return }
    func take(_ other: FeedDefinition, if isBetter: (SampleReading, SampleReading) -> Bool) throws {
      let next = try SampleReading(text, as: other, isCut: isCut)
      if isBetter(next, reading) { (definition, reading) = (other, next) }
    }
    if reading.rewardCount == reading.textRewardCount {
      var other = definition
      other.fields[.reward] = nil
      let isPriced = definition.presentation.valueRole == .price
      other.presentation.valueRole = isPriced ? .reward : .price
      if isPriced || definition.fields[.reward] == nil {
        // Of two readings that say as much the reward counts, since its words are the more precise ones.
        try take(other) {
          isPriced
            ? $0.textRewardCount > 0 && !$1.isClearer(than: $0) : $0.isClearer(than: $1)
        }
      }
    }
    if definition.dateOrder == nil, let order = DateOrderGuess.order(of: text) {
      var other = definition
      other.dateOrder = order
      try take(other) { $0.textEndCount > $1.textEndCount }
    }
    if reading.itemCount >= 10, (1..<reading.itemCount).contains(reading.textCount * 10) {
      definition.readsText = false
    }
  }

  /// Refuses XML without an element, and JSON that is invalid or incomplete unless the sample is
  /// only the start of the document, with the error of the feed reader.
  private func checkIsValid(_ sample: Sample) throws {
    guard sample.root == nil || sample.isBroken, sample.isXML || !isCut else { return }
    do {
      _ = try SampleReading(text, as: blank, isCut: false)
    } catch let error as OffersError where error.code == .unexpectedShape && !sample.isXML {
      // The document is valid. This error only says that the blank definition finds no offers in
      // it.
    }
  }

  private func propose(from sample: Sample, _ format: FeedFormat) throws -> Proposal {
    guard let root = sample.root else {
      throw OffersError(
        .malformedFeed, "The document has nothing in it that can be read.",
        hint: "Check the source.")
    }
    try Task.checkCancellation()
    let candidates = ItemsGuess(root, isXML: sample.isXML)
    let isTable = !sample.columns.isEmpty
    let steps =
      try items?.steps ?? (isTable || candidates.isOneOffer(root) ? [] : candidates.best())
    let found = SampleItems(root, at: steps, isXML: sample.isXML, takesOne: items != nil)
    if let items, found.items.isEmpty {
      // The feed reader says where the path ends, and which path was probably meant.
      blank.items = [items]
      if !isCut { _ = try SampleReading(text, as: blank, isCut: false) }
      throw candidates.problem(at: items)
    }
    var fields = try FieldGuess(found.items, dateOrder: DateOrderGuess.language(of: text))
    let identity = try IdentityGuess(fields, ownKeys: found.ownKeys)
    if let problem = identity.problem, missing.contains("id") { throw problem }
    if fields.fields[.name] == nil {
      fields.takeAsName(found.ownKeys.isEmpty ? identity.member : nil)
    }
    let isEmpty = if case .madeFrom(let parts) = identity.rule { parts.isEmpty } else { false }
    var definition = definition(fields, identity, found, root, format)
    definition.dateOrder = fields.dateOrder
    var sampled = try isEmpty ? nil : SampleReading(text, as: definition, isCut: isCut)
    if var reading = sampled {
      try readTexts(&definition, &reading)
      sampled = reading
    }
    guard let reading = sampled, reading.offerCount > 0 else {
      throw items == nil && !isTable
        ? candidates.problem() : DefinitionOverride.missingProblem(missing, keys: found.keys)
    }
    let notes = fields.notes + notes(definition, fields, root) + reading.notes
    return Proposal(
      definition: definition, itemCount: reading.itemCount, points: notes, fields: fields,
      currencyNote: currencyNote(definition, fields))
  }

  /// Composes the definition from what was found.
  private func definition(
    _ fields: FieldGuess, _ identity: IdentityGuess, _ found: SampleItems, _ root: SampleValue,
    _ format: FeedFormat
  ) -> FeedDefinition {
    var used = fields.usedKeys.union(fields.otherMinorAmounts.map(\.keys))
    // An id that is a product code is shown as an attribute as well; other ids are not.
    if let member = identity.member, !member.words.has(oneOf: FieldNames.productCodes) {
      used.insert(member.keys)
    }
    let around = root.objects(around: found.steps)
    let title = format.listsRecords ? nil : Self.title(around)
    return FeedDefinition(
      name: name, title: title ?? TextRule(.constant(name)),
      presentation: FeedPresentation(valueRole: fields.valueRole), format: format,
      delimiter: blank.delimiter, header: blank.header,
      items: [FieldPath(isFromDocument: true, format.listsRecords ? [] : found.steps)],
      currency: Self.currency(around), id: identity.rule, fields: fields.fields,
      attributes: AttributeGuess.rules(
        fields.members, used: used, name: fields.chosen[.name]?.first))
  }

  /// The rule for the document's title, in the innermost object around the items that has one.
  private static func title(
    _ around: [(object: SampleObject, steps: [FieldPath.Step])]
  ) -> TextRule? {
    let names = ["title", "name", "titel", "titulo", "titre", "titolo", "headline"]
    for (object, steps) in around.reversed() {
      for key in names.flatMap({ [$0, "@" + $0] }) {
        guard case .text(let text)? = object[key], text.utf8.count <= 200,
          !ValueTraits(text).isAddress
        else { continue }
        return TextRule(.path(FieldPath(isFromDocument: true, steps + [.key(key)])))
      }
    }
    return nil
  }

  /// The currency that the document states for all its offers.
  private static func currency(
    _ around: [(object: SampleObject, steps: [FieldPath.Step])]
  ) -> String? {
    for case (let key, .text(let text)) in around.flatMap(\.object.members)
    where FieldNames.currencies.contains(KeyWords(key).joined)
      && CurrencyCode(text.uppercased()) != nil
    {
      return text.uppercased()
    }
    return nil
  }

  // MARK: Notes

  private func notes(
    _ definition: FeedDefinition, _ fields: FieldGuess, _ root: SampleValue
  ) -> [String] {
    var notes: [String] = []
    let shown = definition.attributes.flatMap { $0.rule.alternatives.map(\.value) }
    let hasPrice = fields.chosen[.reward] != nil
    let others = fields.members.filter { member in
      member.part(\.isMoney) >= 0.5 && !fields.usedKeys.contains(member.keys)
        && (FieldNames.isPrice(member.words) && !shown.contains(.path(member.path))
          || !hasPrice && member.part { $0.isMoney && !$0.isNumber } > 0.5)
    }.prefix(5).map { "“\($0.path)”" }
    if !others.isEmpty {
      notes.append(
        "Not taken as the price: \(others.joined(separator: ", ")). To show one, write it below "
          + "fields: as price:, or below attributes:.")
    }
    if let image = fields.chosen[.imageURL]?.first,
      let sample = image.samples.first(where: { !$0.contains("://") && !$0.hasPrefix("//") })
    {
      notes.append(
        "The image addresses are relative, such as “\(sample.prefix(60))”, and "
          + (isOnWeb
            ? "count from the address of the feed. If the images are on another host, "
            : "a file has no address from which they count. To see the images, ")
          + "write image: https://HOST{\(image.path)}.")
    }
    return notes
  }

  private func currencyNote(_ definition: FeedDefinition, _ fields: FieldGuess) -> String? {
    guard let reward = fields.chosen[.reward]?.first, definition.currency == nil,
      let rule = definition.fields[.reward]?.alternatives.first, rule.currency == nil
    else { return nil }
    let isPercent = if case .template = rule.value { true } else { false }
    let isDollar = reward.samples.contains { $0.contains("$") }
    guard isDollar || reward.isMostlyNumber && !isPercent else { return nil }
    // The example is the currency of the first of these signs that occurs in the sample.
    let signs: [(sign: Character, code: String)] = [("€", "EUR"), ("£", "GBP"), ("₹", "INR")]
    let known = signs.first { sign, _ in
      fields.members.contains { $0.samples.contains { $0.contains(sign) } }
    }
    return Self.currencyNote(known?.code ?? "USD", definition.presentation.valueRole)
  }

  /// The note for rewards or prices whose currency is unknown.
  private static func currencyNote(_ code: String, _ role: ValueRole) -> String {
    "The currency of the \(role.rawValue)s is unknown: write currency: \(code), or another, in the "
      + "definition."
  }
}

/// The result of reading a sample with a definition.
private struct SampleReading {
  let itemCount: Int
  /// The number of items that are offers.
  var offerCount: Int { counts.offerCount }
  /// The ids of offers.
  var ids: Set<[UInt8]> { counts.ids }
  /// The number of offers that repeat the id of an earlier one.
  var repeatCount: Int { offerCount - ids.count }
  /// The number of offers with a reward or price.
  var rewardCount: Int { counts.rewardCount }
  /// The numbers of offers of which the text states the reward or price, the end, and any of them.
  var textRewardCount: Int { counts.textRewardCount }
  var textEndCount: Int { counts.textEndCount }
  var textCount: Int { counts.textCount }
  /// Whether the offers have a member for a reward or price.
  var statesPrices: Bool { rewardCount > textRewardCount }
  /// Whether the offers are in the order of their publication, the newest first, as far as they state it.
  var isNewestFirst: Bool {
    counts.datedCount < 2 || counts.days.isNewestFirst ?? counts.times.isNewestFirst ?? false
  }

  /// Whether the texts say more than in another reading of the sample: the titles, if they state anything in a
  /// tenth of the items, else all texts. A free delivery counts least.
  func isClearer(than other: SampleReading) -> Bool {
    let (own, others) = (counts.titleCount, other.counts.titleCount)
    if own != others, max(own, others) * 10 >= itemCount { return own > others }
    if counts.firmCount != other.counts.firmCount {
      return counts.firmCount > other.counts.firmCount
    }
    return textRewardCount > other.textRewardCount
  }
  private let counts = Counts()

  /// The number of bytes that are read between two looks at whether the task is cancelled.
  private static let pieceBytes = 64 << 10

  /// Reads a sample.
  ///
  /// - Parameters:
  ///   - text: the sample in UTF-8.
  ///   - definition: how to read the sample; the encoding that it names is ignored.
  ///   - isCut: true when the sample is not the whole document.
  /// - Throws: the errors of `FeedReader`; `CancellationError`.
  init(_ text: [UInt8], as definition: FeedDefinition, isCut: Bool) throws {
    var definition = definition
    // The sample is transcoded already, so the encoding that the document declares no longer
    // applies.
    definition.encoding = "utf-8"
    let reader = FeedReader(definition: definition, sink: counts)
    try text.withUnsafeBytes { text in
      for start in stride(from: 0, to: text.count, by: Self.pieceBytes) {
        try Task.checkCancellation()
        let end = min(start + Self.pieceBytes, text.count)
        try reader.consume(UnsafeRawBufferPointer(rebasing: text[start..<end]))
      }
    }
    // The products of a page are found at its end.
    if !isCut || definition.format == .jsonLD { try reader.finish() }
    itemCount = reader.itemCount
  }

  /// The most frequent problems of the items, in whole sentences.
  var notes: [String] {
    var notes = counts.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3).map {
      "\($0.value) of \(itemCount) items \($0.value == 1 ? "is" : "are") left out: \($0.key)."
    }
    if repeatCount > 0 {
      let verb = repeatCount == 1 ? "repeats" : "repeat"
      notes.append("\(repeatCount) of \(itemCount) items \(verb) the id of another item.")
    }
    return notes
  }

  private final class Counts: OfferSink {
    var offerCount = 0
    var ids: Set<[UInt8]> = []
    var reasons: [String: Int] = [:]
    var rewardCount = 0
    var textRewardCount = 0
    var textEndCount = 0
    var textCount = 0
    /// The numbers of offers whose texts state a reward or price besides a free delivery, and of those whose title
    /// does.
    var firmCount = 0
    var titleCount = 0
    /// The number of offers with a time of publication, and their order.
    var datedCount = 0
    var times = DateSequence()
    /// The order of the days of publication: a blog may list the entries of a day in another order.
    var days = DateSequence()

    func accept(_ offer: OfferRecord, position: Int) {
      offerCount += 1
      if offer[.reward] != nil { rewardCount += 1 }
      if offer.isRewardFromText { textRewardCount += 1 }
      if offer.isEndFromText { textEndCount += 1 }
      if offer.isRewardFromText || offer.isEndFromText { textCount += 1 }
      if offer.isRewardFromText, let reward = offer[.reward], !DealWords.isDelivery(reward) {
        firmCount += 1
        if offer[.name]?.contains(reward) == true { titleCount += 1 }
      }
      if let id = offer[.id] { ids.insert(Array(id.utf8)) }
      let attributes = offer[.attributes].map(OfferAttribute.parse) ?? []
      guard let date = attributes.first(where: { $0.label == OfferAttribute.published })?.value
      else { return }
      datedCount += 1
      // They are written in ISO 8601.
      times.add(date[...])
      days.add(date.prefix(10))
    }

    func skip(id: String?, position: Int, reason: String) {
      // The reasons of a table's rows differ in the line only.
      let line = reason.firstRange(of: " (line ")
      let reason = line.map { String(reason[..<$0.lowerBound]) } ?? reason
      // Bounds the dictionary, since reasons that quote values are all different.
      if reasons.count < 100 || reasons[reason] != nil { reasons[reason, default: 0] += 1 }
    }

    func mend(position: Int, reason: String) {}
  }
}

/// The order of some dates, which are written in ISO 8601.
private struct DateSequence {
  private var last: Substring?
  private var olderCount = 0
  private var newerCount = 0

  mutating func add(_ date: Substring) {
    if let last, date < last { olderCount += 1 }
    if let last, date > last { newerCount += 1 }
    last = date
  }

  /// Whether most of the dates are older than the one before, of which a pinned entry makes one newer; nil if all
  /// are the same.
  var isNewestFirst: Bool? {
    if olderCount == 0, newerCount == 0 { return nil }
    return olderCount > 0 && max(0, olderCount > 1 ? newerCount - 1 : newerCount) * 3 <= olderCount
  }
}

extension IDRule {
  /// The rules without the first alternative, without the first two, and so on; none for an id of one
  /// alternative.
  fileprivate var shorter: [IDRule] {
    func shorter(_ rule: FieldRule) -> [FieldRule] {
      rule.alternatives.indices.dropFirst().map {
        FieldRule(alternatives: Array(rule.alternatives[$0...]))
      }
    }
    return switch self {
    case .madeFrom: []
    case .value(let rule): shorter(rule).map { .value($0) }
    case .valueOrMade(let rule, let parts):
      shorter(rule).map { .valueOrMade($0, from: parts) } + [.madeFrom(parts)]
    }
  }
}
