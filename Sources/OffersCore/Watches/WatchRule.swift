import Foundation

/// When a watch tells its user of an offer.
///
/// A value is a reward or a price, whichever the offer's feed has. The best of several is the highest
/// reward or the lowest price. Two values are comparable under the rules of `OfferChange.Kind`: they have
/// the same currency or are percentages, and both or neither are "up to".
public enum WatchRule: Hashable, Sendable {
  /// The offer begins to match the selection.
  case match
  /// The value reaches a bound. As in `Selection`, a value "up to" the bound does, and an amount never
  /// reaches a percentage, or vice versa.
  case atLeast(WatchAmount)
  /// The value falls to a bound or below, under the same rules.
  case atMost(WatchAmount)
  /// The value rises, at least by an amount, or by a percentage of the old value, or by anything for nil.
  ///
  /// The old value is the one that was told, or that was there when the offer was first seen, so that
  /// small steps add up. A value that moved the other way becomes the old one after it lasted 24 hours.
  case up(by: WatchAmount?)
  /// The value falls, under the same rules.
  case down(by: WatchAmount?)
  /// The value becomes better than each comparable one of the last days; nil for each that is known, which
  /// are those of the stored history and those that the watch told.
  case best(days: Int?)
  /// The value comes within a distance of the best of the last days, in hundredths of a percent of the best.
  /// It is not told of an offer whose value is the first that is known, nor when the value stays while the
  /// best one becomes older than the days.
  case nearBest(percentHundredths: Int64, days: Int?)
  /// The offer ends within a number of seconds.
  case ending(seconds: Int64)
  /// The offer was gone, and is in its feed again.
  case back

  /// The kinds of rules, with the words by which people write them.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// See `WatchRule.match`.
    case match
    /// See `WatchRule.atLeast`.
    case atLeast = "at-least"
    /// See `WatchRule.atMost`.
    case atMost = "at-most"
    /// See `WatchRule.up`.
    case up
    /// See `WatchRule.down`.
    case down
    /// See `WatchRule.best`.
    case best
    /// See `WatchRule.nearBest`.
    case nearBest = "near-best"
    /// See `WatchRule.ending`.
    case ending
    /// See `WatchRule.back`.
    case back

    /// A rule of the kind as people write it, for hints and help.
    package var example: String {
      switch self {
      case .match, .back: rawValue
      case .atLeast: "at-least $2"
      case .atMost: "at-most 20 EUR"
      case .up: "up 10%"
      case .down: "down 0.50"
      case .best: "best 30d"
      case .nearBest: "near-best 5% 90d"
      case .ending: "ending 48h"
      }
    }
  }

  /// The kind of the rule.
  public var kind: Kind {
    switch self {
    case .match: .match
    case .atLeast: .atLeast
    case .atMost: .atMost
    case .up: .up
    case .down: .down
    case .best: .best
    case .nearBest: .nearBest
    case .ending: .ending
    case .back: .back
    }
  }

  /// Whether the rule compares with the stored history.
  package var needsHistory: Bool {
    switch self {
    case .best, .nearBest: true
    case .match, .atLeast, .atMost, .up, .down, .ending, .back: false
    }
  }

  /// Whether the rule holds for offers that do not change, so that a new watch must begin with a state for
  /// each offer for which it holds (`begin`): these are shown when the watch is added, and not told.
  package var holdsAtStart: Bool {
    switch self {
    case .match, .atLeast, .atMost, .ending: true
    case .up, .down, .best, .nearBest, .back: false
    }
  }
}

/// An amount of money or a percentage with the text that a person typed for it. The text is kept because a
/// bound such as `$2` stands for each currency with that sign.
public struct WatchAmount: Hashable, Sendable {
  /// The typed text, such as `$2`, `20 EUR`, `1.50` (in any currency) or `10%`.
  public let text: String
  /// Its exact meaning.
  public let bound: ValueBound

  /// Creates an amount of its parts; the properties describe them.
  public init(text: String, bound: ValueBound) {
    self.text = text
    self.bound = bound
  }
}

extension ValueBound {
  /// The bound in the unit of a value: minor units, or hundredths of a percent; nil if the bound is in
  /// another unit, so that the value does not qualify.
  package func limit(in value: Reward.Value) -> Int64? {
    switch (self, value) {
    case (.percent(let hundredths), .percent): hundredths
    case (.amount(let units, let code), .amount):
      code == value.storedCurrency ? units : nil
    case (.anyAmount(let units, let others), .amount):
      others.isEmpty ? units : value.storedCurrency.flatMap { others[$0] } ?? units
    default: nil
    }
  }

  /// Whether the bound is more than zero in some currency.
  fileprivate var isPositive: Bool {
    switch self {
    case .amount(let units, _): units > 0
    case .anyAmount(let units, let others): (units ?? others.values.max() ?? 0) > 0
    case .percent(let hundredths): hundredths > 0
    }
  }
}

// MARK: Text form

extension WatchRule {
  /// The maximum length of a rule's text, in bytes of UTF-8.
  package static let maximumBytes = 200

  /// Parses a rule as people write it:
  ///
  ///     match
  ///     at-least $2          at-most 20 EUR
  ///     up                   up 10%            down 0.50
  ///     best                 best 30d
  ///     near-best 5%         near-best 5% 90d
  ///     ending 48h
  ///     back
  ///
  /// Case is ignored, a hyphen may be a space, and `ever` may stand for the days.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for another text: the hint has the nearest kind of rule, or
  ///   an example of the kind.
  package init(parsing text: String, _ reader: any FilterTextReader) throws(OffersError) {
    guard text.utf8.count <= Self.maximumBytes else {
      throw OffersError(.invalidRequest, "The rule has more than \(Self.maximumBytes) bytes.")
    }
    let pieces = text.split(scalar: " ")
    var words = pieces.map(String.init)
    let kind = try Self.takeKind(from: &words)
    let places = pieces.suffix(words.count).map {
      text.distance(from: text.startIndex, to: $0.startIndex) + 1
    }
    let value = RuleValue(kind: kind, words: words, places: places, reader: reader)
    switch kind {
    case .match:
      try value.refuse()
      self = .match
    case .back:
      try value.refuse()
      self = .back
    // A fraction of the smallest unit is rounded up for the least, and down for the most.
    case .atLeast: self = .atLeast(try value.readAmount(isLeast: true))
    case .atMost: self = .atMost(try value.readAmount(isLeast: false))
    case .up: self = .up(by: try value.readStep())
    case .down: self = .down(by: try value.readStep())
    case .best: self = .best(days: try value.readDays(value.text))
    case .nearBest:
      let (hundredths, days) = try value.readDistance()
      self = .nearBest(percentHundredths: hundredths, days: days)
    case .ending: self = .ending(seconds: try value.readSeconds(value.text))
    }
  }

  private static func takeKind(from words: inout [String]) throws(OffersError) -> Kind {
    let kinds = Kind.allCases.map(\.rawValue)
    guard let word = words.first?.lowercased() else {
      throw OffersError(
        .invalidRequest, "The rule is empty.", hint: NearestWord.list(kinds, title: "Rules"))
    }
    for count in [2, 1] where words.count >= count {
      let spelled = words[..<count].joined(separator: "-").lowercased()
      if let kind = Kind(rawValue: spelled) {
        words.removeFirst(count)
        return kind
      }
    }
    throw OffersError(
      .invalidRequest, "“\(word)” is not a rule of a watch.",
      hint: NearestWord.hint(for: word, among: kinds, title: "Rules"))
  }

  /// The text of the rule, which `init(parsing:_:)` parses as the same rule. Durations are in days if they
  /// are more than 72 hours, otherwise in hours or minutes: `2w` is written as `14d`.
  public var text: String {
    func joined(_ parts: String?...) -> String {
      ([kind.rawValue] + parts.compactMap(\.self)).joined(separator: " ")
    }
    switch self {
    case .match, .back: return joined()
    case .atLeast(let amount), .atMost(let amount): return joined(amount.text)
    case .up(let step), .down(let step): return joined(step?.text)
    case .best(let days): return joined(days.map { "\($0)d" })
    case .nearBest(let hundredths, let days):
      return joined(JSONWriter.decimal(hundredths: hundredths) + "%", days.map { "\($0)d" })
    case .ending(let seconds):
      if seconds % 3600 != 0 { return joined("\(seconds / 60)m") }
      let isDays = seconds > 72 * 3600 && seconds % 86_400 == 0
      return joined(isDays ? "\(seconds / 86_400)d" : "\(seconds / 3600)h")
    }
  }
}

extension WatchRule {
  /// What an offer does when its user is told, for people: `is at least $2`, `is the best in 30 days`.
  package var words: String {
    func period(_ days: Int?) -> String { days.map { "in \(Units.count($0, "day"))" } ?? "ever" }
    switch self {
    case .match: return "is new, or begins to match"
    case .atLeast(let amount): return "is at least \(amount.text)"
    case .atMost(let amount): return "is at most \(amount.text)"
    case .up(let step): return "goes up" + (step.map { " by \($0.text)" } ?? "")
    case .down(let step): return "goes down" + (step.map { " by \($0.text)" } ?? "")
    case .best(let days): return "is the best \(period(days))"
    case .nearBest(let hundredths, let days):
      return "is within \(JSONWriter.decimal(hundredths: hundredths))% of the best \(period(days))"
    case .ending(let seconds):
      let isDays = seconds > 72 * 3600 && seconds % 86_400 == 0
      return "ends within "
        + (isDays ? Units.count(Int(seconds / 86_400), "day") : Units.wait(Double(seconds)))
    case .back: return "is back in its feed"
    }
  }
}

/// The words behind the kind of a rule.
private struct RuleValue {
  let kind: WatchRule.Kind
  let words: [String]
  /// The places of the words in the text of the rule, counted in characters from 1.
  let places: [Int]
  let reader: any FilterTextReader

  var text: String { words.joined(separator: " ") }

  private func refusal(_ message: String) -> OffersError {
    OffersError(.invalidRequest, message, hint: "Write \(kind.example).")
  }

  /// Throws if there are words.
  func refuse() throws(OffersError) {
    if words.isEmpty { return }
    throw refusal("The rule \(kind.rawValue) takes no value, but “\(text)” follows it.")
  }

  /// The error of a word that has no meaning in the value.
  ///
  /// - Parameter value: the value without the word.
  private func surplus(_ index: Int, in value: String) -> OffersError {
    OffersError(
      .invalidRequest,
      "“\(words[index])” at character \(places[index]) does not belong to the rule \(kind.rawValue).",
      hint: "Write \(kind.rawValue) \(value).")
  }

  private func read(_ text: String, isLeast: Bool = true) throws(OffersError) -> ValueBound {
    if text.isEmpty { throw refusal("The rule \(kind.rawValue) needs a value.") }
    if let sign = text.unicodeScalars.first, "+-−".unicodeScalars.contains(sign) {
      throw refusal("“\(text)” has a sign, which no value of a rule has.")
    }
    // A percentage is read for a reward only.
    do { return try reader.readBound(text, of: .reward, isLeast: isLeast) } catch {
      throw refusal("“\(text)” is not an amount of money or a percentage.")
    }
  }

  func readAmount(isLeast: Bool) throws(OffersError) -> WatchAmount {
    // Amounts are read as feeds print them, with other words around them. Of a rule each word must count.
    func part(_ start: Int, _ count: Int) -> String {
      words[start..<start + count].joined(separator: " ")
    }
    var bound = try? read(text, isLeast: isLeast)
    for count in (1..<max(1, words.count)).reversed() where bound == nil {
      bound =
        (0...words.count - count).lazy
        .compactMap { try? read(part($0, count), isLeast: isLeast) }.first
    }
    if let bound {
      for count in 1..<max(1, words.count) {
        for start in 0...words.count - count {
          guard let same = try? read(part(start, count), isLeast: isLeast), same == bound
          else { continue }
          throw surplus(start > 0 ? 0 : count, in: part(start, count))
        }
      }
    }
    return WatchAmount(text: text, bound: try read(text, isLeast: isLeast))
  }

  /// The least by which a value must move; nil for any.
  func readStep() throws(OffersError) -> WatchAmount? {
    if words.isEmpty { return nil }
    let step = try readAmount(isLeast: true)
    guard step.bound.isPositive else { throw refusal("“\(text)” is not more than zero.") }
    if kind == .down, case .percent(let hundredths) = step.bound, hundredths > 10_000 {
      throw refusal("No value falls by more than 100%.")
    }
    return step
  }

  func readSeconds(_ text: String) throws(OffersError) -> Int64 {
    if text.isEmpty { throw refusal("The rule \(kind.rawValue) needs a duration.") }
    let seconds: Double
    do { seconds = try reader.readSeconds(text) } catch {
      let parts = text.split(scalar: " ").map(String.init)
      func isDuration(_ text: String) -> Bool { (try? reader.readSeconds(text)) != nil }
      if parts.count > 1, isDuration(parts[0]), parts == words {
        throw surplus(1, in: parts[0])
      }
      // 2 days is written as 2d.
      let short = parts.count == 2 ? parts[0] + parts[1].prefix(1).lowercased() : ""
      throw OffersError(
        .invalidRequest, "“\(text)” is not a duration.",
        hint: "Write \(isDuration(short) ? "\(kind.rawValue) \(short)" : kind.example).")
    }
    guard seconds >= 1 else { throw refusal("“\(text)” is not more than zero.") }
    return Int64(clamped: seconds)
  }

  /// A number of days; nil for no text and for `ever`.
  func readDays(_ text: String) throws(OffersError) -> Int? {
    if text.isEmpty || text.lowercased() == "ever" { return nil }
    let (days, rest) = try readSeconds(text).quotientAndRemainder(dividingBy: 86_400)
    guard rest == 0 else { throw refusal("“\(text)” is not a number of days.") }
    return Int(days)
  }

  /// The percentage of `nearBest`, and its days.
  func readDistance() throws(OffersError) -> (hundredths: Int64, days: Int?) {
    // A sign may stand apart from its number, as in `5 %`.
    let count = words.count > 1 && words[1] == "%" ? 2 : 1
    if words.count > count + 1 {
      throw surplus(count + 1, in: words.prefix(count + 1).joined(separator: " "))
    }
    let percent = words.prefix(count).joined(separator: " ")
    let days = words.count > count ? words[count] : nil
    guard case .percent(let hundredths) = try read(percent) else {
      throw refusal("“\(percent)” is not a percentage.")
    }
    guard 0 < hundredths, hundredths <= 10_000 else {
      throw refusal("“\(percent)” is not more than zero and at most 100%.")
    }
    return (hundredths, try readDays(days ?? ""))
  }
}
