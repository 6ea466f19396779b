import Foundation
import OffersCore

/// Writes the offers and changes of one transaction. PostgreSQL's writes many by one statement, SQLite's
/// each by a prepared one. It keeps what the search needs up to date.
package protocol OfferWriter: AnyObject {
  /// Compares records with the offers that they replace, and writes the updates that `body` asks for.
  ///
  /// - Parameters:
  ///   - records: records with a key.
  ///   - body: gets each record and its difference from the stored offer; nil for an offer that was
  ///     removed.
  func compare(
    _ records: any OfferRecordSource, _ body: (OfferRecord, OfferDifference?) throws -> Void
  ) throws

  /// Replaces the contents of an offer, which is not gone then. To be called by the body of `compare`.
  func update(_ record: OfferRecord, _ difference: OfferDifference, _ state: OfferUpdateValues)
    throws

  /// Inserts an offer, or remembers it for `flushInserts`. One whose id the feed has is left out.
  ///
  /// - Returns: what was inserted and left out by this call.
  func insert(_ record: OfferRecord, _ state: OfferInsertValues) throws -> [InsertedOffer]

  /// Inserts the offers that `insert` has remembered.
  func flushInserts(_ state: OfferInsertValues) throws -> [InsertedOffer]

  /// Inserts an offer of an export, which is not stored, or remembers it for `flushImported`. Its content hash
  /// is 0, so that the next sync compares values, and does not report an equal offer as changed.
  ///
  /// - Parameter firstRunID: the first sync of the feed, if that one had the offer.
  func insert(_ offer: ExportedOffer, key: Int64, feedKey: Int64, firstRunID: Int64?) throws

  /// Writes the offers of an export that are remembered.
  func flushImported() throws

  /// Records a change, or remembers it for `flushChanges`.
  func record(_ change: RecordedChange) throws

  /// Records the changes that are remembered.
  func flushChanges() throws

  /// Brings the search up to date with the written offers.
  ///
  /// - Parameter lastKey: offers with larger keys were inserted; nil if none was.
  func finish(newAfter lastKey: Int64?) throws
}

/// The times of an offer that is updated, in Unix seconds.
package struct OfferUpdateValues {
  /// When the offer changed; nil to keep the time.
  package let changedAt: Int64?
  /// When a search on the feed's server found the offer; nil for one of the feed's document.
  package let foundAt: Int64?
}

/// The values that all offers of an insertion share, and the key that the next one gets.
package struct OfferInsertValues {
  /// The key of the next offer.
  package var key: Int64
  package let feedKey: Int64
  /// When they were first seen, in Unix seconds.
  package let time: Int64
  /// When a search on the feed's server found them; nil for offers of the feed's document.
  package let foundAt: Int64?
  /// The run, if it is the feed's first sync.
  package let firstRunID: Int64?
}

/// An offer that was inserted or left out.
package struct InsertedOffer {
  package let key: Int64
  /// The offer's id and its position in the document, if the feed has the id already.
  package let repeated: (id: String, position: Int)?

  package init(key: Int64, repeated: (id: String, position: Int)? = nil) {
    self.key = key
    self.repeated = repeated
  }
}

/// A change to be recorded.
package struct RecordedChange {
  package let id: Int64
  package let runID: Int64
  package let feedKey: Int64
  /// The start of the run, in Unix seconds.
  package let at: Int64
  package let kind: OfferChange.Kind
  package let offerKey: Int64
  /// For a first sync, the number of its offers.
  package let offerCount: Int?
  /// For a changed offer, `{"name":{"from":…,"to":…}}`; see `ChangedFields`.
  package let fields: String?

  package static let columns: [(name: String, kind: OfferRow.Kind)] = [
    ("change_id", .integer), ("run_id", .integer), ("feed_key", .integer), ("at", .integer),
    ("offer_key", .integer), ("kind", .text), ("offer_count", .integer), ("fields", .text),
  ]

  /// The values of the columns.
  package var values: [SQLValue] {
    [
      .number(id), .number(runID), .number(feedKey), .number(at), .number(offerKey),
      .text(kind.rawValue), .number(offerCount.map(Int64.init)), .text(fields),
    ]
  }
}

/// The difference between a stored offer and a feed's record of it.
///
/// Texts are compared byte by byte, so canonically equivalent spellings differ; coordinates by their
/// value. The reward is compared and reported with its exact value.
package struct OfferDifference {
  /// The columns of a stored offer to compare: its fields in the order of `OfferField`, the exact value of
  /// the reward, and its key and state.
  package static let selection = """
    \(OfferField.columns), \(OfferField.exactReward), offer.offer_key, offer.gone_at, offer.found_at
    """

  /// The numbers of the columns after the fields.
  private static let firstReward = OfferField.count
  package static let keyColumn = firstReward + OfferField.rewardColumns.count

  /// The fields that differ, as `{"name":{"from":…,"to":…}}`; nil if none does.
  package private(set) var fields: String?
  /// Whether the reward differs, and if it rose or fell.
  package private(set) var direction: OfferChange.Kind?
  /// Whether a differing field is searched.
  package private(set) var isSearched = false
  /// Whether a reward is printed or read in another way, though it is no other one (`Reward.differ`), or an
  /// address has another signature or version token (`StableAddress`).
  package private(set) var isRewritten = false
  /// The address of the stored picture, if the record has another address of the same picture.
  package private(set) var formerImageURL: String?
  /// Whether the offer was gone.
  package let wasGone: Bool
  /// Whether only a search on the feed's server had found the offer.
  package let wasFound: Bool

  /// - Parameters:
  ///   - record: the record.
  ///   - row: the stored offer, with the columns of `selection`.
  package init(_ record: OfferRecord, _ row: some SQLRow) {
    wasGone = row.findNumber(Self.keyColumn + 1) != nil
    wasFound = row.findNumber(Self.keyColumn + 2) != nil
    var json = JSONWriter(capacity: 512)
    var differs = false
    var direction: OfferChange.Kind?
    json.object { json in
      for field in OfferField.allCases.dropFirst() {
        let text = record[field]
        let isSame: Bool
        var rewards: (old: Reward?, new: Reward?)
        switch field {
        case .latitude, .longitude:
          isSame = row.findReal(field.rawValue) == text.flatMap(Double.init)
        case .startsAt, .expiresAt:
          isSame = row.findDate(field.rawValue) == Self.date(text)
        case .reward:
          rewards = (
            OfferField.reward(row, text: field.rawValue, value: Self.firstReward),
            record.reward
          )
          isSame = !Reward.differ(rewards.old, rewards.new)
          if isSame, rewards.old != rewards.new || !Self.isSame(row.findUTF8(field.rawValue), text)
          {
            isRewritten = true
          }
        case .imageURL, .url, .attributes:
          let isEqual = Self.isSame(row.findUTF8(field.rawValue), text)
          isSame = isEqual || Self.leadToSame(field, row.findText(field.rawValue), text)
          if isSame, !isEqual {
            isRewritten = true
            if field == .imageURL, let stored = row.findText(field.rawValue),
              StableAddress.ofPicture(stored.utf8) == text.map({ StableAddress.ofPicture($0.utf8) })
            {
              formerImageURL = stored
            }
          }
        default: isSame = Self.isSame(row.findUTF8(field.rawValue), text)
        }
        if isSame { continue }
        differs = true
        if SearchMatch.Field(rawValue: field.name) != nil { isSearched = true }
        if field == .reward { direction = .direction(from: rewards.old, to: rewards.new) }
        json.key(field.name)
        json.object { json in
          json.key("from")
          Self.write(field, row, rewards.old, to: &json)
          json.key("to")
          Self.write(field, text, rewards.new, to: &json)
        }
      }
    }
    if differs { fields = json.text }
    self.direction = direction
  }

  private static func isSame(_ stored: UnsafeRawBufferPointer?, _ text: String?) -> Bool {
    guard let stored, let text else { return stored == nil && text == nil }
    return stored.elementsEqual(text.utf8)
  }

  /// Whether addresses, or those among attributes, differ by signatures and version tokens only.
  private static func leadToSame(_ field: OfferField, _ stored: String?, _ text: String?) -> Bool {
    guard let stored, let text else { return false }
    if field != .attributes { return StableAddress.areSame(stored.utf8, text.utf8) }
    let (old, new) = (OfferAttribute.parse(stored), OfferAttribute.parse(text))
    return old.count == new.count
      && zip(old, new).allSatisfy { old, new in
        old == new
          || old.label == new.label && old.value.hasPrefix("http")
            && StableAddress.areSame(old.value.utf8, new.value.utf8)
      }
  }

  /// The time of a text with Unix seconds, rounded as the database stores it.
  private static func date(_ text: String?) -> Date? {
    text.flatMap(Double.init).map {
      Date(storedSeconds: Date(timeIntervalSince1970: $0).storedSeconds)
    }
  }

  /// Writes a stored value as JSON output prints it.
  private static func write(
    _ field: OfferField, _ row: some SQLRow, _ reward: Reward?, to json: inout JSONWriter
  ) {
    switch field {
    case .reward: json.value(reward)
    case .startsAt, .expiresAt: json.value(row.findDate(field.rawValue))
    case .latitude, .longitude:
      if let degrees = row.findReal(field.rawValue) {
        json.number("\(degrees)")
      } else {
        json.null()
      }
    default: write(field, row.findText(field.rawValue), to: &json)
    }
  }

  /// Writes a record's value as JSON output prints it.
  private static func write(
    _ field: OfferField, _ text: String?, _ reward: Reward?, to json: inout JSONWriter
  ) {
    switch field {
    case .reward: json.value(reward)
    case .startsAt, .expiresAt: json.value(date(text))
    case .latitude, .longitude:
      if let text { json.number(text) } else { json.null() }
    default: write(field, text, to: &json)
    }
  }

  private static func write(_ field: OfferField, _ text: String?, to json: inout JSONWriter) {
    guard let text else { return json.null() }
    switch field {
    case .categories: json.array { for text in JSONTexts.parse(text) { $0.value(text) } }
    case .attributes: json.value(OfferAttribute.parse(text))
    default: json.value(text)
    }
  }
}

/// The columns of the fields of an offer. Statements list them in the order of `OfferField`, so that a row
/// has a field at its `rawValue`.
extension OfferField {
  /// The type of a column.
  package enum ColumnType {
    case text
    /// Unix seconds.
    case seconds
    /// A floating-point number.
    case degrees
  }

  /// The column of the table `offer` that has the field; of the reward its printed text.
  package var column: String { self == .reward ? "reward_text" : name }

  package var columnType: ColumnType {
    switch kind {
    case .id, .line, .text, .link, .reward, .list: .text
    case .time: .seconds
    case .degrees: .degrees
    }
  }

  /// The columns of all fields, in their order.
  package static let columns = list(allCases.map(\.column))

  /// The columns with the exact value of the reward: an amount and its currency, or a percentage, and
  /// whether the value is an upper bound.
  package static let rewardColumns = [
    "reward_minor_units", "reward_currency", "reward_percent_hundredths", "reward_up_to",
  ]

  /// The columns of `rewardColumns`.
  package static let exactReward = list(rewardColumns)

  private static func list(_ columns: [String]) -> String {
    columns.map { "offer.\($0)" }.joined(separator: ", ")
  }

  /// The reward in the column of its printed text and those of `rewardColumns`.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - text: the number of the column of the text.
  ///   - value: the number of the first of the others.
  package static func reward(_ row: some SQLRow, text: Int, value: Int) -> Reward? {
    guard let printed = row.findText(text) else { return nil }
    var exact: Reward.Value?
    if let units = row.findNumber(value), let currency = row.findText(value + 1) {
      exact = .amount(minorUnits: units, storedCurrency: currency)
    } else if let hundredths = row.findNumber(value + 2) {
      exact = .percent(hundredths: hundredths)
    }
    return Reward(text: printed, value: exact, isUpTo: row.flag(value + 3))
  }
}

/// The columns of an offer that an engine writes, with their values: its state, its fields, the hash of its
/// content, the exact reward, and the keys by which lists are sorted.
package enum OfferRow {
  package enum Kind { case text, integer, real, flag, bytes }

  private static let state = [
    "offer_key", "feed_key", "first_seen_at", "changed_at", "gone_at", "found_at", "first_run_id",
  ]

  /// The number of the first column that an update replaces without regard to its old value: behind the
  /// state and the id.
  package static let firstContent = state.count + 1

  /// The columns.
  package static let columns: [(name: String, kind: Kind)] =
    state.map { ($0, .integer) }
    + OfferField.allCases.map { field in
      switch field.columnType {
      case .text: (field.column, .text)
      case .seconds: (field.column, .integer)
      case .degrees: (field.column, .real)
      }
    } + [("content_hash", .integer)]
    + zip(OfferField.rewardColumns, [.integer, .text, .integer, .flag]).map { ($0, $1) }
    + [("name_key", .bytes), ("retailer_key", .bytes), ("category_keys", .bytes)]

  /// The values of a feed's record that is inserted.
  package static func values(
    of record: OfferRecord, inserted state: OfferInsertValues
  ) -> [SQLValue] {
    values(
      of: record,
      [state.key, state.feedKey, state.time, state.time, nil, state.foundAt, state.firstRunID])
  }

  /// The values of a feed's record that replaces a stored offer. The columns that keep their values are NULL.
  package static func values(
    of record: OfferRecord, updated state: OfferUpdateValues
  ) -> [SQLValue] {
    values(of: record, [record.offerKey, nil, nil, state.changedAt, nil, state.foundAt, nil])
  }

  private static func values(of record: OfferRecord, _ state: [Int64?]) -> [SQLValue] {
    values(
      state, hash: record.contentHash, record.reward, text: { record[$0] },
      seconds: { field in
        record[field].flatMap { text in
          Int64(text) ?? Double(text).map { Date(timeIntervalSince1970: $0).storedSeconds }
        }
      }, degrees: { record[$0].flatMap(Double.init) })
  }

  /// The values of an offer of an export.
  ///
  /// - Parameter firstRunID: the first sync of the feed, if that one had the offer.
  package static func values(
    of offer: ExportedOffer, key: Int64, feedKey: Int64, firstRunID: Int64?
  ) -> [SQLValue] {
    values(
      [key, feedKey, offer.firstSeenAt, offer.changedAt, offer.goneAt, nil, firstRunID], hash: 0,
      offer.reward, text: { offer[$0] }, seconds: offer.seconds, degrees: offer.degrees)
  }

  private static func values(
    _ state: [Int64?], hash: UInt64, _ reward: Reward?, text: (OfferField) -> String?,
    seconds: (OfferField) -> Int64?, degrees: (OfferField) -> Double?
  ) -> [SQLValue] {
    var values = state.map { SQLValue.number($0) }
    values.reserveCapacity(columns.count + 1)
    for field in OfferField.allCases {
      switch field.columnType {
      case .text: values.append(.text(text(field)))
      case .seconds: values.append(.number(seconds(field)))
      case .degrees: values.append(.real(degrees(field)))
      }
    }
    values += [
      .number(Int64(bitPattern: hash)), .number(reward?.minorUnits), .text(reward?.storedCurrency),
      .number(reward?.percentHundredths), .flag(reward?.isUpTo ?? false),
      .bytes(NaturalOrder.key(text(.name) ?? "")),
      .bytes(text(.retailer).map { NaturalOrder.key($0) }),
      .bytes(text(.categories).map { NaturalOrder.keys(JSONTexts.parse($0)) }),
    ]
    return values
  }
}
