import Foundation
import GRDB
import GRDBSQLite
import OffersCore

/// Compares a feed's record of an offer with the stored offer.
struct StoredOfferQuery {
  private let statement: RawStatement
  /// The index of the first column after the texts and details: `reward_minor_units`.
  private static let firstOther = Int32(
    DifferenceWriter.textColumns.count + DifferenceWriter.detailColumns.count)

  /// A size of JSON that suffices for nearly all differences, in bytes.
  private static let usualBytes = 512

  /// The difference between a stored offer and a record.
  struct Difference {
    /// The fields that differ, as `{"name":{"from":…,"to":…}}` in UTF-8; nil if none does.
    var fields: [UInt8]?
    /// Whether a differing field is in the search index.
    var isSearched: Bool
    /// Whether the reward is printed or read in another way, though it is no other one; see
    /// `Reward.differ`.
    var hasOtherReward: Bool
    /// Whether the offer was gone.
    var wasGone: Bool
  }

  /// Prepares the statement. The texts come first, in the order of `OfferField`.
  init(_ database: Database) throws {
    let columns = DifferenceWriter.textColumns + DifferenceWriter.detailColumns
    statement = try RawStatement(
      database,
      """
      SELECT \(columns.joined(separator: ", ")), reward_minor_units,
        reward_currency, reward_percent_hundredths, reward_up_to, gone_at
      FROM offer LEFT JOIN offer_detail USING (offer_key) WHERE offer_key = ?1
      """)
  }

  /// The difference between the stored offer and the record; nil if the offer is not stored.
  ///
  /// Texts are compared byte by byte, so canonically equivalent spellings differ; coordinates by
  /// their value. The reward is compared and reported with its exact value.
  func findDifference(_ record: OfferRecord) throws -> Difference? {
    statement.bind(1, record.offerKey)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    var json = JSONWriter(capacity: Self.usualBytes)
    var differs = false
    var isSearched = false
    var hasOtherReward = false
    json.object { json in
      record.forEachField { field, text in
        let column = Int32(field.rawValue)
        if field == .latitude || field == .longitude {
          // As a text, SQLite gives only 15 digits of a number.
          let (old, new) = (statement.findReal(column), Self.string(text).flatMap(Double.init))
          guard old != new else { return }
          Self.write(
            field, &json, { Self.write(old, to: &$0) }, { Self.write(record: text, field, to: &$0) }
          )
          differs = true
          return
        }
        let old = statement.text(column)
        let isSame = Self.isSame(old, text)
        if field == .reward {
          let rewards = (reward(from: old), Self.reward(of: record, text))
          guard Reward.differ(rewards.0, rewards.1) else {
            hasOtherReward = rewards.0 != rewards.1 || !isSame
            return
          }
          Self.write(field, &json, { $0.value(rewards.0) }, { $0.value(rewards.1) })
        } else {
          guard !isSame else { return }
          Self.write(
            field, &json, { Self.write(old, field, to: &$0) },
            { Self.write(record: text, field, to: &$0) })
        }
        differs = true
        if SearchIndex.has(field) { isSearched = true }
      }
    }
    return Difference(
      fields: differs ? json.bytes : nil, isSearched: isSearched,
      hasOtherReward: hasOtherReward, wasGone: !statement.isNull(Self.firstOther + 4))
  }

  private func reward(from text: UnsafeRawBufferPointer?) -> Reward? {
    guard let text = Self.string(text) else { return nil }
    var value: Reward.Value?
    if let currency = Self.string(statement.text(Self.firstOther + 1)) {
      value = .amount(minorUnits: statement.number(Self.firstOther), storedCurrency: currency)
    } else if !statement.isNull(Self.firstOther + 2) {
      value = .percent(hundredths: statement.number(Self.firstOther + 2))
    }
    return Reward(text: text, value: value, isUpTo: statement.number(Self.firstOther + 3) != 0)
  }

  private static func reward(of record: OfferRecord, _ text: UnsafeRawBufferPointer?) -> Reward? {
    string(text).map { Reward(text: $0, value: record.rewardValue, isUpTo: record.isUpTo) }
  }

  private static func string(_ text: UnsafeRawBufferPointer?) -> String? {
    text.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func isSame(
    _ left: UnsafeRawBufferPointer?, _ right: UnsafeRawBufferPointer?
  ) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return memcmp(first, second, left.count) == 0
  }

  /// Writes a coordinate with as many digits as it needs.
  private static func write(_ degrees: Double?, to json: inout JSONWriter) {
    if let degrees { json.number("\(degrees)") } else { json.null() }
  }

  /// Writes a record's value as JSON output prints it. A record's text is known to be valid UTF-8,
  /// a stored one is not.
  private static func write(
    record text: UnsafeRawBufferPointer?, _ field: OfferField, to json: inout JSONWriter
  ) {
    switch field {
    case .id, .name, .description, .terms, .imageURL, .url, .retailer:
      if let text { json.value(utf8: text) } else { json.null() }
    default: write(text, field, to: &json)
    }
  }

  /// Writes a value as JSON output prints it.
  private static func write(
    _ text: UnsafeRawBufferPointer?, _ field: OfferField, to json: inout JSONWriter
  ) {
    guard let text = string(text) else { return json.null() }
    switch field {
    case .startsAt, .expiresAt:
      json.value(Double(text).map { Date(timeIntervalSince1970: $0) })
    case .latitude, .longitude: json.number(text)
    case .categories: json.array { for text in JSONTexts.parse(text) { $0.value(text) } }
    case .attributes: json.value(OfferAttribute.parse(text))
    default: json.value(text)
    }
  }

  private static func write(
    _ field: OfferField, _ json: inout JSONWriter, _ old: (inout JSONWriter) -> Void,
    _ new: (inout JSONWriter) -> Void
  ) {
    json.key(field.name)
    json.object { json in
      json.key("from")
      old(&json)
      json.key("to")
      new(&json)
    }
  }
}
