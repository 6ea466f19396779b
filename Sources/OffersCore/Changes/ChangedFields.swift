import Foundation

/// The decoded `fields` of a `changed` row: which fields differ, and the reward and the texts before and
/// after.
package struct ChangedFields: Decodable {
  /// The names of the fields that differ, as in JSON output, in the order of `OfferField`.
  package let names: [String]
  /// The reward before and after the change; nil if it is unchanged.
  package let rewards: (old: Reward?, new: Reward?)?
  /// The texts before and after the change, shortened, in the order of `OfferField`.
  package let texts: [TextChange]

  /// - Parameter json: the text of `change.fields`; see `OfferDifference`. Invalid JSON, which this
  ///   program never writes, counts as no fields.
  package init(parsing json: String) {
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else {
      names = []
      rewards = nil
      texts = []
      return
    }
    self = read
  }

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    names = OfferField.allCases.map(\.name).filter { fields.contains(Key(stringValue: $0)) }
    let reward = Key(stringValue: OfferField.reward.name)
    rewards =
      try fields.contains(reward)
      ? fields.decode(Pair.self, forKey: reward).rewards : nil
    texts = TextChange.fields.compactMap { field in
      // A value that is not read, such as one replaced in a large row, is only named.
      let key = Key(stringValue: field.name)
      guard let pair = try? fields.decodeIfPresent(Texts.self, forKey: key) else { return nil }
      return TextChange(field, from: pair.from, to: pair.to)
    }
  }

  /// Whether the reward rose or fell; nil if it is unchanged or the two are not comparable.
  package var direction: OfferChange.Kind? {
    rewards.flatMap { OfferChange.Kind.direction(from: $0.old, to: $0.new) }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct Texts: Decodable {
    let from: String?
    let to: String?
  }

  private struct Pair: Decodable {
    let from: StoredReward?
    let to: StoredReward?

    var rewards: (old: Reward?, new: Reward?) { (from?.reward, to?.reward) }
  }

  /// A reward as JSON output prints it.
  private struct StoredReward: Decodable {
    let text: String
    let minorUnits: Int64?
    let currency: String?
    /// The percentage, as a Decimal because its hundredths must be exact.
    let percent: Decimal?
    let isUpTo: Bool

    enum CodingKeys: String, CodingKey {
      case text, currency, percent
      case minorUnits = "minor_units"
      case isUpTo = "up_to"
    }

    var reward: Reward {
      var value: Reward.Value?
      if let minorUnits {
        value = .amount(minorUnits: minorUnits, currency: currency)
      } else if let percent {
        value = .percent(hundredths: NSDecimalNumber(decimal: percent * 100).int64Value)
      }
      return Reward(text: text, value: value, isUpTo: isUpTo)
    }
  }
}
