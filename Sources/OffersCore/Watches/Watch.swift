import Foundation

/// A saved selection of offers with a rule: the user is told of an offer when the rule applies to it.
public struct Watch: Hashable, Sendable, Identifiable {
  /// How often a user is told of the same offer.
  ///
  /// An offer enters when the rule begins to hold for it, and leaves when the rule ceases to hold.
  public enum Repeat: String, Hashable, Sendable, Codable, CaseIterable {
    /// Each time the offer enters. It counts as having left only after 24 hours, however far its value
    /// went: a value that flips around a bound is told once.
    case onEntry = "default"
    /// Once per offer.
    case never
    /// Like `onEntry`, and again every 24 hours as long as the rule holds.
    case daily
    /// Each time the offer enters, even if it left a moment before.
    case each

    /// Parses a name.
    ///
    /// - Throws: `OffersError` with `invalidRequest` and the nearest name for another text.
    package init(parsing text: String) throws(OffersError) {
      guard let repeats = Self(rawValue: text.lowercased()) else {
        let names = Self.allCases.map(\.rawValue)
        throw OffersError(
          .invalidRequest, "“\(text)” does not say how often to tell of an offer.",
          hint: NearestWord.hint(for: text, among: names, title: "Choices"))
      }
      self = repeats
    }
  }

  /// The number of the watch in its database.
  public let id: Int64
  /// The user's name for the watch; nil without one.
  public var name: String?
  /// Which offers are watched: the text form of a selection.
  public var selection: String
  /// When the rule applies to one of these offers.
  public var rule: WatchRule
  /// How often the user is told of the same offer.
  public var repeats: Repeat
  /// Whether its notices may break through quiet hours.
  public var isUrgent: Bool
  /// When the watch was added.
  public let createdAt: Date
  /// Since when the watch is not evaluated; nil if it is not paused. When it is resumed, it begins like a new one
  /// (`WatchRule.begin`).
  public var pausedAt: Date?

  /// Creates a watch of its parts; the properties describe them.
  public init(
    id: Int64, name: String? = nil, selection: String, rule: WatchRule,
    repeats: Repeat = .onEntry, isUrgent: Bool = false, createdAt: Date, pausedAt: Date? = nil
  ) {
    self.id = id
    self.name = name
    self.selection = selection
    self.rule = rule
    self.repeats = repeats
    self.isUrgent = isUrgent
    self.createdAt = createdAt
    self.pausedAt = pausedAt
  }
}

extension Watch {
  /// The selection, or the words for one of all offers.
  package var selectionText: String { selection.isEmpty ? "all offers" : selection }
}

/// A bound that a watch has for the values of an offer.
package struct WatchBound: Hashable, Sendable {
  /// The value, in the unit of the offer's values.
  package let value: Reward.Value
  /// Whether a value must be at least as large, or at most.
  package let isLeast: Bool

  /// The value in minor units, or in hundredths of a percent.
  package var units: Int64 {
    switch value {
    case .amount(let units, _), .percent(let units): units
    }
  }

  /// The bound for people: `at least $2.00`.
  package func words(_ reader: any FilterTextReader) -> String {
    "\(isLeast ? "at least" : "at most") \(reader.text(of: value))"
  }
}

extension Watch {
  /// The bounds of the rule and of the selection that are in the unit of a value.
  ///
  /// - Parameters:
  ///   - value: a value of an offer.
  ///   - role: the meaning of the value.
  ///   - reader: reads the selection. One that it cannot read has no bounds.
  package func bounds(
    in value: Reward.Value, _ role: ValueRole, _ reader: any FilterTextReader
  ) -> [WatchBound] {
    let selection = try? SelectionText(parsing: selection).selection(at: Date(), reader)
    let (least, most) =
      role == .reward
      ? (selection?.rewardMinimum, selection?.rewardMaximum)
      : (selection?.priceMinimum, selection?.priceMaximum)
    var found: [(bound: ValueBound?, isLeast: Bool)] = [(least, true), (most, false)]
    switch rule {
    case .atLeast(let amount): found.append((amount.bound, true))
    case .atMost(let amount): found.append((amount.bound, false))
    case .match, .up, .down, .best, .nearBest, .ending, .back: break
    }
    return found.compactMap { bound, isLeast in
      guard let limit = bound?.limit(in: value) else { return nil }
      let limitValue: Reward.Value =
        switch value {
        case .amount(_, let currency): .amount(minorUnits: limit, currency: currency)
        case .percent: .percent(hundredths: limit)
        }
      return WatchBound(value: limitValue, isLeast: isLeast)
    }
  }
}

/// The reason to tell a user of an offer, in facts. Texts are made of it when it is told.
///
/// The values have the unit of `value`: the same currency, or all are percentages.
public struct WatchFiring: Hashable, Sendable, Codable {
  /// The kind of the rule that applied.
  public let rule: WatchRule.Kind
  /// When the offer changed, or when the rule began to apply to it.
  public let at: Date
  /// Whether the user was told of the same entry before (`Watch.Repeat.daily`).
  public let isReminder: Bool
  /// The exact value of the offer at that time; nil without one.
  public let value: Reward.Value?
  /// Whether the value is an upper bound ("Up to 5% back").
  public let isUpTo: Bool
  /// The value with which `value` is compared; nil without a comparable one. For `up` and `down`, the
  /// value that was told or that lasted before; for other rules, the value before the change.
  public let old: Reward.Value?
  /// The bound of `atLeast` and `atMost`; nil for other rules.
  public let bound: Reward.Value?
  /// The best value: for `best`, the best before the change; for `nearBest`, the best with it. Nil for
  /// other rules.
  public let best: Reward.Value?
  /// The number of days of `best` and `nearBest`; nil for ever, and for other rules.
  public let days: Int?
  /// The distance of `nearBest` in hundredths of a percent; nil for other rules.
  public let percentHundredths: Int64?
  /// When the offer ends; nil if it does not, or if that is unknown.
  public let endsAt: Date?
  /// The currency sign with which the feed prints the value; nil if the currency is known, and without a sign.
  package let sign: String?

  /// The facts for people, without the name of the offer and without a full stop: `is $3.00, at least $2.00`.
  ///
  /// - Parameters:
  ///   - reader: writes the values.
  ///   - now: the time at which the sentence is read; nil for a sentence that stays true. See `Notice.sentence`.
  package func sentence(_ reader: any FilterTextReader, at now: Date?) -> String {
    func text(_ value: Reward.Value) -> String {
      (isUpTo ? "up to " : "") + reader.text(of: value, sign: sign)
    }
    let still = isReminder ? "still " : ""
    let valueText = value.map(text)
    let detail = valueText.map { ": \($0)" } ?? ""
    let was = isReminder ? "" : old.map { ", was \(text($0))" } ?? ""
    let period = days.map { "in \(Units.count($0, "day"))" } ?? "ever"
    switch rule {
    case .match: return (isReminder ? "still matches" : "is a new match") + detail
    case .atLeast, .atMost:
      let side = rule == .atLeast ? "at least" : "at most"
      let limit = bound.map { ", \(side) \(reader.text(of: $0, sign: sign))" } ?? ""
      return "is \(still)\(valueText ?? "without a value")\(limit)"
    case .up, .down: return "is \(still)\(rule.rawValue)\(detail)\(was)"
    case .best: return "is \(still)the best \(period)\(detail)\(was)"
    case .nearBest:
      let distance = percentHundredths.map { JSONWriter.decimal(hundredths: $0) + "%" } ?? "reach"
      let best = best.map { ", best \(text($0))" } ?? ""
      return "is \(still)within \(distance) of the best \(period)\(detail)\(best)"
    case .ending: return endsAt.map { Units.ending($0, at: now) } ?? "ends soon"
    case .back: return "is \(still)back in its feed\(detail)"
    }
  }
}

/// A watch as a person asks for it.
package struct WatchDraft: Hashable, Sendable {
  package var name: String?
  package var selection: SelectionText
  package var rule: WatchRule
  package var repeats: Watch.Repeat
  package var isUrgent: Bool

  /// The most characters of a name.
  package static let longestName = 80

  /// Creates a draft of texts, and checks them.
  ///
  /// - Parameters:
  ///   - name: the user's name for the watch; nil without one.
  ///   - selection: the text form of a selection. Its order does not count.
  ///   - rule: the text form of a rule; nil for a new match.
  ///   - repeats: the name of a repetition; nil for the default.
  ///   - isUrgent: whether its notices may break through quiet hours.
  ///   - reader: reads bounds, times and durations.
  /// - Throws: `OffersError` with `invalidRequest` for a text that is none of these.
  package init(
    name: String? = nil, selection: String, rule: String? = nil, repeats: String? = nil,
    isUrgent: Bool = false, _ reader: any FilterTextReader
  ) throws {
    let name = name.map { SafeText.line($0, characters: Self.longestName) }
    self.name = name?.isEmpty ?? true ? nil : name
    self.selection = try SelectionText(parsing: selection).withoutOrder
    let selected = try self.selection.selection(at: Date(), reader)
    if selected.goneOnly {
      throw OffersError(
        .invalidRequest, "A watch of offers that are gone would tell nothing.",
        hint: "Leave is:gone out. The rule back tells of offers that return.")
    }
    self.rule = try rule.map { try WatchRule(parsing: $0, reader) } ?? .match
    self.repeats = try repeats.map { try Watch.Repeat(parsing: $0) } ?? .onEntry
    self.isUrgent = isUrgent
  }

  /// Refuses a watch that would tell of each new offer of all feeds.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  package func checkIsBounded() throws(OffersError) {
    guard selection.isEmpty, rule == .match else { return }
    throw OffersError(
      .invalidRequest, "This watch would tell of each new offer of all feeds.",
      hint: "Say which offers, such as coffee or feed:NAME, or by a rule when: at-least $2.")
  }

  /// Whether offers may enter as time passes, without a change.
  package var isTimed: Bool { Self.isTimed(selection, rule.text) }

  /// The same of the text of a rule.
  package static func isTimed(_ selection: SelectionText, _ rule: String) -> Bool {
    rule.hasPrefix(WatchRule.Kind.ending.rawValue) || !selection.texts(of: .expiring).isEmpty
  }
}

extension WatchDraft {
  /// The draft that a stored watch was made of.
  package init(_ watch: Watch, _ reader: any FilterTextReader) throws {
    try self.init(
      name: watch.name, selection: watch.selection, rule: watch.rule.text,
      repeats: watch.repeats.rawValue, isUrgent: watch.isUrgent, reader)
  }
}
