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

/// A text or a time of an offer before and after a change. Long texts are shortened around the part that
/// differs.
public struct TextChange: Hashable, Sendable, Codable {
  /// The JSON name of the field.
  public let field: String
  /// The text before the change; nil if the offer had none. A time is in ISO 8601.
  public let old: String?
  /// The text after the change; nil if the offer has none.
  public let new: String?

  /// Creates a change of its parts; the properties describe them.
  public init(field: String, old: String?, new: String?) {
    self.field = field
    self.old = old
    self.new = new
  }

  /// The fields whose texts are told. The links and attributes of many feeds change every day without
  /// a meaning for people, so of these only the names are told.
  package static let fields: [OfferField] = [
    .name, .description, .terms, .retailer, .startsAt, .expiresAt,
  ]

  /// The most characters that are kept of each text.
  private static let limit = 80
  /// The most characters that are kept before the part that differs, and after it.
  private static let context = 20

  package init(_ field: OfferField, from old: String?, to new: String?) {
    self.field = field.name
    let (before, after) = Window.around(old ?? "", new ?? "")
    let start = zip(before.text, after.text).prefix { $0 == $1 }.count
    let rest = min(before.text.count, after.text.count) - start
    let end = zip(before.text.reversed(), after.text.reversed()).prefix(rest).prefix { $0 == $1 }
      .count
    self.old = old.map { _ in Self.shortened(before, differingFrom: start, sameEnd: end) }
    self.new = new.map { _ in Self.shortened(after, differingFrom: start, sameEnd: end) }
  }

  /// A part of a text, within which it is shortened. Of a long text it is the part around the difference,
  /// because characters are slow to compare.
  private struct Window {
    var text: [Character]
    var isCutBefore = false
    var isCutAfter = false

    /// The most bytes before the part that differs, after it, and of it.
    private static let bytes = 2_000

    /// The parts of two texts around their difference.
    static func around(_ old: String, _ new: String) -> (Window, Window) {
      let (before, after) = (Array(old.utf8), Array(new.utf8))
      if before.count <= bytes, after.count <= bytes {
        return (Window(text: Array(old)), Window(text: Array(new)))
      }
      let same = zip(before, after).prefix { $0 == $1 }.count
      let rest = min(before.count, after.count) - same
      let sameEnd = zip(before.reversed(), after.reversed()).prefix(rest).prefix { $0 == $1 }.count
      let start = max(0, same - bytes)
      return (
        Window(before, from: start, to: before.count - sameEnd),
        Window(after, from: start, to: after.count - sameEnd)
      )
    }

    private init(text: [Character]) { self.text = text }

    private init(_ whole: [UInt8], from start: Int, to differenceEnd: Int) {
      let last = min(whole.count, differenceEnd + Self.bytes, start + 3 * Self.bytes)
      var (first, end) = (start, last)
      // Whole scalars only.
      while first > 0, first < end, whole[first] & 0xC0 == 0x80 { first += 1 }
      while end < whole.count, end > first, whole[end] & 0xC0 == 0x80 { end -= 1 }
      text = Array(String(decoding: whole[first..<end], as: UTF8.self))
      isCutBefore = first > 0
      isCutAfter = end < whole.count
    }
  }

  /// The part of a text around a difference; a text of at most `limit` characters as it is.
  private static func shortened(
    _ window: Window, differingFrom start: Int, sameEnd: Int
  ) -> String {
    let text = window.text
    if text.count <= limit, !window.isCutBefore, !window.isCutAfter { return fit(String(text)) }
    var first = max(0, start - context)
    // Begins and ends with whole words, if there are any beside the difference.
    if first > 0, !text[first - 1].isWhitespace,
      let space = text[first..<start].firstIndex(where: \.isWhitespace)
    {
      first = space + 1
    }
    let end = text.count - sameEnd
    var last = min(text.count, end + context, first + limit)
    if last < text.count, !text[last].isWhitespace,
      let space = text[min(end, last)..<last].lastIndex(where: \.isWhitespace)
    {
      last = space
    }
    return (first > 0 || window.isCutBefore ? "…" : "") + fit(String(text[first..<last]))
      + (last < text.count || window.isCutAfter ? "…" : "")
  }

  /// The text within `limit` times the usual bytes of a character: a character may have any number.
  private static func fit(_ text: String) -> String {
    OfferLimits.fit(text, within: 8 * limit) ?? text
  }

  /// The size of the texts in UTF-8.
  package var byteCount: Int { (old?.utf8.count ?? 0) + (new?.utf8.count ?? 0) }

  /// The name of the field for people.
  package var label: String { field.replacing(bytes: "_", with: " ") }

  /// The old and the new text for people, with times in the local time zone; `–` for none.
  package var shown: (old: String, new: String) { (shown(old), shown(new)) }

  private func shown(_ text: String?) -> String {
    guard let text else { return "–" }
    guard field == OfferField.startsAt.name || field == OfferField.expiresAt.name,
      let seconds = ISOTime.seconds(parsing: text)
    else { return text }
    return Units.time(Date(storedSeconds: seconds))
  }
}
