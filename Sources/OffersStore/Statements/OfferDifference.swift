import Foundation
import OffersCore

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
  /// Whether the reward is printed or read in another way, though it is no other one; see
  /// `Reward.differ`.
  package private(set) var hasOtherReward = false
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
          hasOtherReward =
            isSame
            && (rewards.old != rewards.new
              || !Self.isSame(row.findUTF8(field.rawValue), text))
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
