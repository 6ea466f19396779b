import Foundation
import OffersCore

/// Reads and writes the values of these tests: `2` (any currency), `$2`, `2 EUR` and `5%`.
struct TypedValues: FilterTextReader {
  func readBound(_ text: String, of role: ValueRole, isLeast: Bool) throws -> ValueBound {
    switch Self.value(text) {
    case .amount(let units, let currency?): return .amount(minorUnits: units, currency: currency)
    case .amount(let units, nil):
      // The yen has no decimals.
      let yen = units / 100 + (isLeast && units % 100 > 0 ? 1 : 0)
      return .anyAmount(minorUnits: units, others: ["JPY": yen])
    case .percent(let hundredths) where role == .reward: return .percent(hundredths: hundredths)
    case .percent, nil: throw OffersError(.invalidRequest, "“\(text)” is no value.")
    }
  }

  func readTime(_ text: String, now: Date) throws -> Date { now - (try readSeconds(text)) }

  func readSeconds(_ text: String) throws -> Double {
    let units: [Character: Double] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    guard let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()) else {
      throw OffersError(.invalidRequest, "“\(text)” is no duration.")
    }
    return number * unit
  }

  func text(of value: Reward.Value) -> String {
    switch value {
    case .percent(let hundredths): return "\(hundredths / 100)%"
    case .amount(let units, let currency):
      let cents = units.magnitude % 100
      let number = "\(units / 100).\(cents < 10 ? "0" : "")\(cents)"
      return currency == "USD" ? "$\(number)" : number + (currency.map { " \($0)" } ?? "")
    }
  }

  static func value(_ text: String) -> Reward.Value? {
    let text = text.hasPrefix("up to ") ? String(text.dropFirst(6)) : text
    let digits = text.filter { $0.isNumber || $0 == "." }
    guard let number = Double(digits) else { return nil }
    let hundredths = Int64((number * 100).rounded())
    if text.hasSuffix("%") { return .percent(hundredths: hundredths) }
    if text.hasPrefix("$") { return .amount(minorUnits: hundredths, currency: "USD") }
    if text.hasSuffix(" JPY") { return .amount(minorUnits: hundredths / 100, currency: "JPY") }
    if text.hasSuffix(" EUR") { return .amount(minorUnits: hundredths, currency: "EUR") }
    return digits == text ? .amount(minorUnits: hundredths, currency: nil) : nil
  }
}

/// An offer that a rule watches, with its history.
struct WatchedOffer {
  let rule: WatchRule
  var repeats = Watch.Repeat.onEntry
  var role = ValueRole.reward
  var endsAt: Double?
  private(set) var state = WatchState()
  private(set) var points: [RewardPoint] = []

  init(
    _ rule: String, _ repeats: Watch.Repeat = .onEntry, _ role: ValueRole = .reward,
    endsAt: Double? = nil
  ) throws {
    self.rule = try WatchRule(parsing: rule, TypedValues())
    (self.repeats, self.role, self.endsAt) = (repeats, role, endsAt)
  }

  static func date(_ hours: Double) -> Date { Date(timeIntervalSince1970: 1e9 + hours * 3600) }

  /// The offer at a time in hours with a printed value, as an observation.
  func observe(
    _ hours: Double, _ text: String?, isListed: Bool = true, isBack: Bool = false
  ) -> WatchObservation {
    WatchObservation(
      at: Self.date(hours), value: text.flatMap(TypedValues.value),
      isUpTo: text?.hasPrefix("up to") ?? false, role: role, isListed: isListed, isBack: isBack,
      expiresAt: endsAt.map(Self.date), previous: points.last?.reward)
  }

  /// Evaluates the rule, and returns what is told. The state is stored and read again.
  mutating func see(
    _ hours: Double, _ text: String?, isListed: Bool = true, isBack: Bool = false
  ) -> String? {
    let observation = observe(hours, text, isListed: isListed, isBack: isBack)
    let reward = text.map {
      Reward(text: $0, value: observation.value, isUpTo: observation.isUpTo)
    }
    points.append(
      RewardPoint(
        at: observation.at,
        event: points.isEmpty ? .new : !isListed ? .gone : isBack ? .back : .changed,
        reward: reward))
    return see(observation)
  }

  /// Evaluates the rule for an observation that is not a new point of the history.
  mutating func see(_ observation: WatchObservation) -> String? {
    let points = points
    let (next, firing) = rule.advance(state, observation, repeats: repeats) { points }
    state = WatchState(parsing: next.text) ?? WatchState()
    return firing?.sentence(TypedValues(), at: observation.at)
  }

  /// What is told of values at times in hours.
  mutating func tells(_ values: [(Double, String?)]) -> [String?] {
    values.map { see($0.0, $0.1) }
  }
}
