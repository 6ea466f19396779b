import OffersCore

/// Makes an offer of a record, according to the rules of a definition.
struct OfferAssembler {
  /// The result for a record.
  enum Result {
    /// The offer is in `offer`. `mended` describes what was left out or repaired; nil if
    /// nothing was.
    case offer(mended: String?)
    case noOffer(id: String?, reason: String)
  }

  let definition: FeedDefinition
  /// All fields for which the definition has a rule.
  private let fields: [(field: OfferField, rule: FieldRule)]
  /// The list that the first rules of the categories have in common.
  let categoryList: CommonList?
  /// The document's values outside its items, as far as it has been read.
  private let document: DocumentValues
  /// The values of the current record.
  var values: RecordValues
  let links: LinkResolver
  /// The zone of the feed's days.
  let zone: DayZone
  /// The present in Unix seconds, at which a sale counts or not.
  let now: Int64
  /// Whether a path leads to an item itself, which may be a text then.
  let readsItemItself: Bool
  /// The members of an item that a rule may read.
  let itemKeys: ItemKeys
  /// The current offer.
  var offer = OfferRecord()
  /// Descriptions of the current offer's parts that were left out or repaired.
  private var notes: [String] = []
  private var hasNotes = false
  private var idNote: String?
  private var nameNote: String?
  /// Whether the record states an end, or that there is none.
  var statesEnd = false
  /// Finds in the texts of an offer what its members lack; nil if the definition switches it off.
  private let texts: TextReadings?
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
  ///   - document: the values of the document.
  ///   - links: resolves the links of the document.
  ///   - now: the present in Unix seconds.
  init(_ definition: FeedDefinition, document: DocumentValues, links: LinkResolver, now: Int64) {
    self.definition = definition
    self.document = document
    self.links = links
    self.now = now
    fields = OfferField.allCases.compactMap { field in
      definition.fields[field].map { (field: field, rule: $0) }
    }
    categoryList = definition.fields[.categories].flatMap { CommonList($0) }
    values = RecordValues(.null, document: document)
    zone = definition.dayZone
    readsItemItself = definition.readsItemItself
    itemKeys = ItemKeys(definition)
    nameKey = definition.fields[.name]?.onlyKey
    texts = definition.readsText ? TextReadings(definition, zone) : nil
    if case .value(let rule) = definition.id { idKey = rule.onlyKey } else { idKey = nil }
  }

  /// Makes an offer of a record.
  ///
  /// - Parameters:
  ///   - record: the record.
  ///   - ownKeys: the keys of the record and of the objects around it that a `*` in the path of the
  ///     items matches, the innermost last.
  ///   - isFull: whether values of the record were left out because it has more than
  ///     `RecordValue.countLimit`.
  mutating func assemble(_ record: RecordValue, ownKeys: [String] = [], isFull: Bool) -> Result {
    values = RecordValues(record, document: document, ownKeys: ownKeys)
    if hasNotes { forgetNotes() }
    offer = OfferRecord()
    statesEnd = false
    guard let id = readID(), !id.isBlank else {
      return .noOffer(id: nil, reason: idNote ?? Self.noID)
    }
    offer[.id] = id
    if id.utf8.count > OfferLimits.idBytes {
      return .noOffer(id: nil, reason: "id is longer than \(OfferLimits.idBytes) bytes")
    }
    for (field, rule) in fields {
      offer[field] =
        field == .categories ? readCategories(rule) : fit(tidied(read(rule, field), field), field)
    }
    // A latitude without a longitude, or the reverse, is no place.
    if (offer[.latitude] == nil) != (offer[.longitude] == nil) {
      offer[.latitude] = nil
      offer[.longitude] = nil
    }
    guard let name = offer[.name], !name.isBlank else {
      return .noOffer(id: id, reason: nameNote ?? Self.noName)
    }
    if !definition.attributes.isEmpty { offer[.attributes] = readAttributes() }
    if let texts, offer[.reward] == nil || !statesEnd {
      texts.complete(&offer, values, statesEnd: statesEnd)
    }
    if isFull {
      add("the record has more than \(RecordValue.countLimit) values, the rest left out")
    }
    if !notes.isEmpty { return .offer(mended: notes.joined(separator: "; ")) }
    return .offer(mended: nil)
  }

  /// Whether a hint about a missing key may still be added: fewer than `hintLimit` were sought.
  var isHinting: Bool { missingCount < Self.hintLimit }

  /// Returns the key that a record lacks, if the reason why the record is not an offer is a missing
  /// id or name that comes from a single key; otherwise nil.
  mutating func missingKey(for reason: String) -> String? {
    missingCount += 1
    return reason == Self.noID ? idKey : reason == Self.noName ? nameKey : nil
  }

  private static let noID = "no id"
  private static let noName = "no name"

  /// The text of an amount that is a JSON number. One with three decimals could be mistaken for
  /// thousands, so that it is marked.
  private mutating func amount(ofNumber number: String) -> String {
    let text = JSONNumberText.amount(number)
    let point = text.utf8.firstIndex(of: 0x2E)
    offer.isRewardNumber = point.map { text.utf8[$0...].count == 4 } ?? false
    return text
  }

  private mutating func readID() -> String? {
    let rule: FieldRule
    var parts: [FieldPath] = []
    switch definition.id {
    case .value(let own): rule = own
    case .valueOrMade(let own, let from): (rule, parts) = (own, from)
    case .madeFrom(let parts): return MadeID.make(from: parts, values)
    }
    for alternative in rule.alternatives {
      switch values.value(alternative.value, join: alternative.join) {
      case .text(let text):
        // A blank id counts as missing, so that the next alternative applies.
        if text.string.isBlank { continue }
        if text.isMended {
          hasNotes = true
          idNote = "id is not valid Unicode"
          return nil
        }
        if let id = finish(text, alternative, .id) {
          return text.isNumber ? JSONNumberText.canonical(id) : id
        }
      case .wrong(let kind):
        hasNotes = true
        idNote = "id is \(kind), expected text"
      case .none: break
      }
    }
    return MadeID.make(from: parts, values)
  }

  private mutating func read(_ rule: FieldRule, _ field: OfferField) -> String? {
    var problem: String?
    let noteCount = notes.count
    for alternative in rule.alternatives {
      let ownNotes = notes.count
      switch values.value(alternative.value, join: alternative.join) {
      case .none: continue
      case .wrong(let kind):
        if problem == nil { problem = "is \(kind)" }
      case .text(var text):
        if field == .reward, text.isNumber { text.string = amount(ofNumber: text.string) }
        // If there are several alternatives, a blank text counts as missing, so that the next one
        // applies.
        if rule.alternatives.count > 1, text.string.isBlank { continue }
        if let sale = alternative.sale, !isNow(sale) { continue }
        if text.isMended { note(field, "is not valid Unicode", isKept: true) }
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

  mutating func add(_ note: String) {
    hasNotes = true
    notes.append(note)
  }

  private mutating func forgetNotes() {
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
  mutating func note(_ field: OfferField, _ problem: String, isKept: Bool) {
    if field == .name {
      nameNote = isKept ? "name \(problem)" : "name \(problem), expected text"
    }
    let subject = attributeName ?? field.name
    add("\(subject) \(problem), " + (isKept ? "marked with \u{FFFD}" : "left out"))
  }
}
