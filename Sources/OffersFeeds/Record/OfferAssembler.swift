import OffersCore

/// Makes an offer's texts from a record, according to the rules of a definition.
final class OfferAssembler {
  /// The result for a record.
  enum Result {
    /// The offer's texts are in `texts`. `mended` describes what was left out or repaired; nil if
    /// nothing was.
    case offer(mended: String?)
    case noOffer(id: UnsafeRawBufferPointer?, reason: String)
  }

  /// The tree that the record is read into.
  let record: RecordTree
  /// The tree of the document's values outside its items, as far as it has been read.
  let document: RecordTree
  var values: RecordValues
  let plan: CompiledRules
  let links: LinkResolver
  /// The ISO 4217 code of the feed's currency, in ASCII; nil if the definition names none.
  let currencyCode: [UInt8]?
  let dateOrder: DateOrder?
  /// The zone of the feed's days.
  let zone: DayZone
  /// The present in Unix seconds, at which a sale counts or not.
  let now: Int64
  /// Whether a path of the items has a `*`, so that an item may be a member with a key, to which
  /// the definition refers as `@key`.
  let usesOwnKeys: Bool
  /// The texts of the current offer, valid until the next record is read.
  var texts = OfferTexts()
  /// Descriptions of the current offer's parts that were left out or repaired.
  private var notes: [String] = []
  private var hasNotes = false
  private var idNote: String?
  private var nameNote: String?
  /// The label of the attribute that is being read.
  var attributeName: String?

  /// The key of the id, if it comes from a single key of the record; otherwise nil.
  private let idKey: String?
  /// The key of the name, if it comes from a single key of the record; otherwise nil.
  private let nameKey: String?
  /// The number of calls of `missingKey`, which limits the number of hints about missing keys.
  private var missingCount = 0
  private static let hintLimit = 20

  /// - Parameters:
  ///   - definition: how to read a record.
  ///   - address: the document's URL, against which relative links are resolved; nil when it does
  ///     not come from the web.
  ///   - now: the present in Unix seconds.
  init(_ definition: FeedDefinition, address: String?, now: Int64) {
    let items = definition.makeItemPaths()
    let documentPaths = definition.makeDocumentPaths()
    record = RecordTree(items)
    document = RecordTree(documentPaths)
    values = RecordValues(record: record, document: document)
    plan = CompiledRules(definition, items: items, document: documentPaths)
    links = LinkResolver(address: address)
    dateOrder = definition.dateOrder
    zone = definition.dayZone
    self.now = now
    nameKey = definition.fields[.name]?.onlyKey
    if case .value(let rule) = definition.id { idKey = rule.onlyKey } else { idKey = nil }
    currencyCode = definition.currency.map { Array($0.utf8) }
    usesOwnKeys = definition.items.contains { $0.steps.contains(.all) }
  }

  /// Makes an offer of the values in `record`.
  func assemble() -> Result {
    if hasNotes { forgetNotes() }
    texts.clear()
    texts[.id] = readID()
    guard let id = texts[.id], !id.isBlank else {
      return .noOffer(id: nil, reason: idNote ?? Self.noID)
    }
    if id.count > OfferLimits.idBytes {
      return .noOffer(id: nil, reason: "id is longer than \(OfferLimits.idBytes) bytes")
    }
    for (field, rule) in plan.fields {
      texts[field] =
        field == .categories ? readCategories(rule) : fit(tidied(read(rule, field), field), field)
    }
    // A latitude without a longitude, or the reverse, is no place.
    if (texts[.latitude] == nil) != (texts[.longitude] == nil) {
      texts[.latitude] = nil
      texts[.longitude] = nil
    }
    guard let name = texts[.name], !name.isBlank else {
      return .noOffer(id: id, reason: nameNote ?? Self.noName)
    }
    if !plan.attributes.isEmpty { texts[.attributes] = readAttributes() }
    if record.isFull { noteFullRecord() }
    if !notes.isEmpty { return .offer(mended: notes.joined(separator: "; ")) }
    return .offer(mended: nil)
  }

  /// Whether a hint about a missing key may still be added: fewer than `hintLimit` were sought.
  var isHinting: Bool { missingCount < Self.hintLimit }

  /// Returns the key that a record lacks, if the reason why the record is not an offer is a missing
  /// id or name that comes from a single key; otherwise nil.
  func missingKey(for reason: String) -> String? {
    missingCount += 1
    return reason == Self.noID ? idKey : reason == Self.noName ? nameKey : nil
  }

  private static let noID = "no id"
  private static let noName = "no name"

  /// The text of an amount that is a JSON number. One with three decimals could be mistaken for
  /// thousands, so that it is marked.
  private func amount(ofNumber text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let text = JSONNumberText.amount(text, record.arena)
    texts.isRewardNumber = text.firstIndex(of: 0x2E).map { text.count - $0 == 4 } ?? false
    return text
  }

  private func readID() -> UnsafeRawBufferPointer? {
    switch plan.id {
    case .value(let rule):
      for alternative in rule.alternatives {
        switch values.value(alternative.source, join: alternative.join) {
        case .text(let text, let isMended):
          // A blank id counts as missing, so that the next alternative applies.
          if text.isBlank { continue }
          if isMended {
            hasNotes = true
            idNote = "id is not valid Unicode"
            return nil
          }
          let isNumber = values.isNumber
          if let text = finish(text, alternative, .id) {
            return isNumber ? JSONNumberText.canonical(text, record.arena) : text
          }
        case .wrong(let kind):
          hasNotes = true
          idNote = "id is \(kind), expected text"
        case .none: break
        }
      }
      return MadeID.make(from: plan.fallbackIDParts, &values)
    case .madeFrom(let parts):
      return MadeID.make(from: parts, &values)
    }
  }

  @inline(__always)
  private func read(_ rule: CompiledRules.Rule, _ field: OfferField) -> UnsafeRawBufferPointer? {
    var problem: String?
    let noteCount = notes.count
    for alternative in rule.alternatives {
      let ownNotes = notes.count
      switch values.value(alternative.source, join: alternative.join) {
      case .none: continue
      case .wrong(let kind):
        if problem == nil { problem = "is \(kind)" }
      case .text(var text, let isMended):
        if field == .reward, values.isNumber { text = amount(ofNumber: text) }
        // If there are several alternatives, a blank text counts as missing, so that the next one
        // applies.
        if rule.alternatives.count > 1, text.isBlank { continue }
        if let sale = alternative.sale, !isNow(sale) { continue }
        if isMended { note(field, "is not valid Unicode", isKept: true) }
        if let done = finish(text, alternative, field) {
          // Discards the notes about earlier alternatives.
          notes.removeSubrange(noteCount..<ownNotes)
          return done
        }
      }
    }
    if let problem { note(field, problem, isKept: false) }
    return nil
  }

  func add(_ note: String) {
    hasNotes = true
    notes.append(note)
  }

  private func forgetNotes() {
    notes = []
    idNote = nil
    nameNote = nil
    hasNotes = false
  }

  /// Adds a note about a problem with a field.
  ///
  /// - Parameters:
  ///   - field: the field with the problem; the note names the attribute instead while one is read.
  ///   - problem: the rest of a sentence about the field, such as “is not valid Unicode”.
  ///   - isKept: true if the text is kept, with U+FFFD in place of invalid bytes; false if it is
  ///     left out.
  func note(_ field: OfferField, _ problem: String, isKept: Bool) {
    if field == .name {
      nameNote = isKept ? "name \(problem)" : "name \(problem), expected text"
    }
    let subject = attributeName ?? field.name
    add("\(subject) \(problem), " + (isKept ? "marked with \u{FFFD}" : "left out"))
  }
}
