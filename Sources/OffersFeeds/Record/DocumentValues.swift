import OffersCore

/// Collects the values of a document, outside its offers, that the definition's paths need, and
/// makes the document's facts of them, such as its title and the address of the next page.
final class DocumentValues {
  /// The place of the document's root.
  let root: DocumentPlace
  private let definition: FeedDefinition
  private let links: LinkResolver
  private let zone: DayZone
  /// A value whose end has not been read.
  private struct Open {
    let kind: Kind
    let key: String
    var members: [RecordValue.Member] = []
    var list: [RecordValue] = []

    var value: RecordValue {
      switch kind {
      case .object: .object(members)
      case .list: .list(list)
      case .element: .element(RecordValue.Element(members: members))
      }
    }

    mutating func add(_ value: RecordValue, key: String) {
      if kind == .list {
        list.append(value)
      } else {
        members.append(.init(key: key, value: value))
      }
    }
  }

  /// A kind of value that has other values in it.
  enum Kind {
    case object
    case list
    case element
  }

  private var open: [Open] = []
  private var whole: RecordValue?
  /// `value` since the last change.
  private var current: RecordValue?
  private var count = 0
  private var textBytes = 0

  /// The number of values at which further ones are left out.
  private static let countLimit = 10_000
  /// The total size of the values' texts, in bytes, at which further values are left out.
  private static let textLimitBytes = 1 << 20

  /// - Parameters:
  ///   - definition: names the values that are read.
  ///   - links: resolves relative links among the values.
  init(_ definition: FeedDefinition, links: LinkResolver) {
    self.definition = definition
    self.links = links
    root = DocumentPlace(definition)
    zone = definition.dayZone
  }

  private var isFull: Bool { count >= Self.countLimit || textBytes >= Self.textLimitBytes }

  /// Begins an object, a list or an element, which belongs to the one begun last until `end`.
  /// Returns false, and begins nothing, when there is no room.
  func begin(_ kind: Kind, key: String) -> Bool {
    if isFull || whole != nil { return false }
    count += 1
    textBytes += key.utf8.count
    current = nil
    open.append(Open(kind: kind, key: key))
    return true
  }

  /// Ends the value that was begun last.
  func end() {
    guard let last = open.popLast() else { return }
    current = nil
    if open.isEmpty {
      whole = last.value
    } else {
      open[open.count - 1].add(last.value, key: last.key)
    }
  }

  /// Adds a text or another scalar to the value that was begun last, unless there is no room, or the
  /// text has 1 MiB or more.
  func add(_ value: RecordValue, key: String) {
    let bytes = value.comparedText?.utf8.count ?? 0
    guard !isFull, !open.isEmpty, bytes < Self.textLimitBytes else { return }
    count += 1
    textBytes += bytes + key.utf8.count
    current = nil
    open[open.count - 1].add(value, key: key)
  }

  /// The document, as far as it has been read.
  var value: RecordValue {
    if let known = current ?? whole { return known }
    var inner: (value: RecordValue, key: String)?
    for var outer in open.reversed() {
      if let inner { outer.add(inner.value, key: inner.key) }
      inner = (outer.value, outer.key)
    }
    let made = inner?.value ?? .null
    current = made
    return made
  }

  /// The document's statements about itself, according to the values read so far.
  var facts: DocumentFacts {
    let values = RecordValues(value, document: self)
    var mended: [String] = []
    var shared: [OfferAttribute] = []
    for attribute in definition.shared {
      if let text = text(attribute.rule, values) {
        shared.append(OfferAttribute(label: attribute.label, value: text))
      }
    }
    if let fitting = OfferLimits.fit(shared) {
      shared = fitting
      let size = OfferLimits.text(OfferLimits.attributeBytes)
      mended.append(
        "shared has more than \(OfferLimits.attributeCount) values or one longer than \(size), cut")
    }
    var title = text(definition.title, values)
    if let long = title, let cut = OfferLimits.fit(long, within: OfferLimits.nameBytes) {
      title = cut
      mended.append("title is longer than \(OfferLimits.text(OfferLimits.nameBytes)), cut")
    }
    let minutes = definition.ttl.flatMap { text($0, values) }.flatMap { Int($0) }
    let pages = definition.pages
    func number(_ place: PageRule.Place?) -> Int? {
      place?.path.flatMap { text($0, values) }.flatMap { Int($0) }
    }
    return DocumentFacts(
      title: title, shared: shared, mended: mended,
      error: definition.error.lazy.compactMap { [self] in text($0, values) }.first.map {
        OfferLimits.fit($0, within: OfferLimits.nameBytes) ?? $0
      },
      nextPage: pages?.next?.path.flatMap { text($0, values) },
      hasMore: pages?.more?.path.flatMap { values.saysMore($0) },
      pageCount: number(pages?.total), offerCount: number(pages?.count),
      freshSeconds: minutes.map { max(0, min($0, 1 << 20)) * 60 })
  }

  private func text(_ rule: FieldRule, _ values: RecordValues) -> String? {
    for alternative in rule.alternatives {
      guard
        case .text(let text) = values.value(alternative.value, join: alternative.join),
        !text.string.isBlank
      else { continue }
      var found = read(text.string, as: alternative.reading)
      if let limit = alternative.limitCharacters, let cut = OfferAssembler.cut(found, to: limit) {
        found = cut
      }
      if !found.isEmpty { return found }
    }
    return nil
  }

  private func read(_ text: String, as reading: Reading) -> String {
    switch reading {
    case .text, .image: return text
    case .html: return HTMLText.plain(text)
    case .date:
      guard let date = text.withBytes({ DateParser.parse($0, order: definition.dateOrder) }) else {
        return text
      }
      return DateParser.write(zone.shown(date).seconds, isWholeDay: date.isWholeDay)
    case .link: return links.resolve(text)
    }
  }

  private func text(_ path: FieldPath, _ values: RecordValues) -> String? {
    guard case .text(let text) = values.value(.path(path), join: ""), !text.string.isBlank else {
      return nil
    }
    return text.string
  }
}

/// The statements of a document about itself.
package struct DocumentFacts {
  /// The feed's title by the definition's rule; nil if the document has none.
  package let title: String?
  /// Labelled texts that every offer shows, in order.
  package let shared: [OfferAttribute]
  /// Notes for people: one if the title, and one if the shared attributes exceeded `OfferLimits`
  /// and were cut.
  package let mended: [String]
  /// The document's error message: the text at the first of the definition's `error` paths that has
  /// one; nil if none has.
  package let error: String?
  /// The address of the next page, or the value that names it, as the document prints it; nil if it has none.
  package let nextPage: String?
  /// Whether the document says that another page follows; nil if it does not say.
  package let hasMore: Bool?
  /// The number of pages that the document states; nil if it states none.
  package let pageCount: Int?
  /// The number of offers on all pages that the document states; nil if it states none.
  package let offerCount: Int?
  /// How long the document stays valid according to its TTL, in seconds; nil if it has none.
  package let freshSeconds: Int?
}
