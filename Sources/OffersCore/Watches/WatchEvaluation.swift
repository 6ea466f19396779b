import Foundation

/// What is known of an offer after one of its changes, or when a watch looks at it again.
package struct WatchObservation: Hashable, Sendable {
  /// When the change was recorded: the start of its run, as in the stored history. Seconds count.
  package var at: Date
  /// The exact value; nil without one.
  package var value: Reward.Value?
  /// Whether the value is an upper bound.
  package var isUpTo: Bool
  /// The meaning of the feed's values.
  package var role: ValueRole
  /// Whether the offer is in its feed, has not expired, and is in the watch's selection.
  package var isListed: Bool
  /// Whether the offer was gone, and this change is that it is in its feed again.
  package var isBack: Bool
  /// When the offer ends; nil if it does not, or if that is unknown.
  package var expiresAt: Date?
  /// The reward or price before the change, and the present one if it did not change; nil for a new offer. It
  /// stands for what the watch has not seen.
  package var previous: Reward?
  /// The currency sign of the value (`Reward.sign`).
  package var sign: String?

  /// Creates an observation of its parts; the properties describe them.
  package init(
    at: Date, value: Reward.Value?, isUpTo: Bool = false, role: ValueRole, isListed: Bool = true,
    isBack: Bool = false, expiresAt: Date? = nil, previous: Reward? = nil, sign: String? = nil
  ) {
    self.at = at
    self.value = value
    self.isUpTo = isUpTo
    self.role = role
    self.isListed = isListed
    self.isBack = isBack
    self.expiresAt = expiresAt
    self.previous = previous
    self.sign = sign
  }

  /// The value to compare; nil without one.
  fileprivate var current: WatchState.Value? { WatchState.Value(value, isUpTo: isUpTo) }

  /// The previous value; nil without one.
  fileprivate var earlier: WatchState.Value? {
    previous.flatMap { WatchState.Value($0.value, isUpTo: $0.isUpTo) }
  }
}

extension WatchRule {
  /// Evaluates the rule after a change of an offer.
  ///
  /// The changes of an offer are evaluated in the order of their times. An observation that is not newer than
  /// the newest that the state has seen changes nothing and tells nothing, so that one that is made twice, or
  /// by two nodes, tells once.
  ///
  /// While an offer is not listed, no rule holds for it, and its value is not looked at. A missing value holds
  /// for no bound and moves nothing. A value that is not comparable with the one before, such as one in
  /// another currency, neither rises nor falls: `up` and `down` compare from then on with it.
  ///
  /// - Parameters:
  ///   - state: what the watch remembers of the offer.
  ///   - observation: the offer after the change.
  ///   - repeats: how often the user is told.
  ///   - history: returns the points of the offer's stored history, oldest first; those at the time of the
  ///     observation and later are not read. It is called for `best` and `nearBest` only, at most once.
  /// - Returns: the state to store, and the reason to tell the user, if there is one.
  package func advance(
    _ state: WatchState, _ observation: WatchObservation, repeats: Watch.Repeat = .onEntry,
    history: () -> [RewardPoint]
  ) -> (state: WatchState, firing: WatchFiring?) {
    let at = observation.at.storedSeconds
    guard var next = state.receiving(at: at) else { return (state, nil) }
    let isListed = observation.isListed
    var facts = Facts()
    let telling: Telling?
    switch self {
    case .match: telling = next.enter(isListed, at, repeats)
    case .back: telling = next.enter(isListed && (observation.isBack || next.isHeld), at, repeats)
    case .ending(let seconds):
      let left = observation.expiresAt.map { $0.storedSeconds.subtracting(clamped: at) }
      telling = next.enter(isListed && left.map { 0 <= $0 && $0 <= seconds } ?? false, at, repeats)
    case .atLeast(let amount), .atMost(let amount):
      facts.bound = observation.value.flatMap { amount.bound.limit(in: $0) }
      var holds = false
      if isListed, let bound = facts.bound, let number = observation.value?.number {
        holds = kind == .atLeast ? number >= bound : number <= bound
      }
      telling = next.enter(holds, at, repeats)
    case .up(let step), .down(let step):
      guard isListed, let value = observation.current else { return (next, nil) }
      telling = next.move(
        to: value, by: step?.bound, isUp: kind == .up, from: observation.earlier, at, repeats,
        &facts)
    case .best(let days):
      guard isListed, let value = observation.current else { return (next, nil) }
      telling = next.improve(
        to: value, observation, Self.start(days, before: at), at, repeats, history, &facts)
    case .nearBest(let hundredths, let days):
      telling = next.approach(
        within: hundredths, observation, Self.start(days, before: at), at, repeats, history, &facts)
    }
    return (next, telling.map { firing($0, observation, facts) })
  }

  /// The state of an offer when a watch is added or resumed. The offers for which the rule holds then are
  /// shown to the user, and count as told.
  package func begin(
    _ observation: WatchObservation, history: () -> [RewardPoint]
  ) -> WatchState {
    advance(WatchState(), observation, history: history).state
  }

  /// The start of the last days; nil for ever.
  private static func start(_ days: Int?, before time: Int64) -> Int64? {
    days.map { time.subtracting(clamped: Int64($0).multiplied(clamped: 86_400)) }
  }

  private func firing(
    _ telling: Telling, _ observation: WatchObservation, _ facts: Facts
  ) -> WatchFiring {
    func exact(_ number: Int64?) -> Reward.Value? {
      number.flatMap { number in observation.value.map { $0.with(number) } }
    }
    var (days, distance): (Int?, Int64?)
    switch self {
    case .best(let count): days = count
    case .nearBest(let hundredths, let count): (days, distance) = (count, hundredths)
    default: break
    }
    let earlier = observation.current.flatMap { observation.earlier?.numbers(to: $0)?.old }
    return WatchFiring(
      rule: kind, at: Date(storedSeconds: observation.at.storedSeconds),
      isReminder: telling == .again, value: observation.value, isUpTo: observation.isUpTo,
      old: exact(facts.old ?? earlier), bound: exact(facts.bound), best: exact(facts.best),
      days: days, percentHundredths: distance, endsAt: observation.expiresAt,
      sign: observation.sign)
  }
}

/// Whether the user is told of an entry or reminded of it.
private enum Telling { case first, again }

/// The numbers that a firing tells, in the unit of the observed value.
private struct Facts {
  var old: Int64?
  var bound: Int64?
  var best: Int64?
}

extension WatchState {
  /// Whether a period since a time has passed.
  private func hasPassed(_ seconds: Int64, since time: Int64, at now: Int64) -> Bool {
    now.subtracting(clamped: time) >= seconds
  }

  /// Records that the rule begins to hold. Returns nil if the user must not be told again.
  private mutating func tell(_ at: Int64, _ repeats: Watch.Repeat) -> Telling? {
    isInside = true
    outsideSince = nil
    if repeats == .never, toldAt != nil { return nil }
    toldAt = at
    return .first
  }

  /// A reminder, if it is due.
  private mutating func remind(_ at: Int64, _ repeats: Watch.Repeat) -> Telling? {
    guard repeats == .daily, isInside, let told = toldAt,
      hasPassed(Self.reminderSeconds, since: told, at: at)
    else { return nil }
    toldAt = at
    return .again
  }

  /// Whether what began at `outsideSince` has lasted.
  private func hasLeft(_ at: Int64, _ repeats: Watch.Repeat) -> Bool {
    guard let outsideSince else { return false }
    return repeats == .each || hasPassed(Self.leavingSeconds, since: outsideSince, at: at)
  }

  /// A rule that holds or does not.
  fileprivate mutating func enter(
    _ holds: Bool, _ at: Int64, _ repeats: Watch.Repeat
  ) -> Telling? {
    guard holds else {
      if isInside, outsideSince == nil { outsideSince = at }
      return nil
    }
    if !isInside || hasLeft(at, repeats) { return tell(at, repeats) }
    outsideSince = nil
    return remind(at, repeats)
  }

  /// `up` and `down`.
  fileprivate mutating func move(
    to value: Value, by step: ValueBound?, isUp: Bool, from previous: Value?, _ at: Int64,
    _ repeats: Watch.Repeat, _ facts: inout Facts
  ) -> Telling? {
    guard let from = reference ?? previous, let numbers = from.numbers(to: value) else {
      (reference, turned, outsideSince, isInside) = (value, nil, nil, false)
      return nil
    }
    var base = numbers.old
    if let turned, hasLeft(at, repeats) {
      base = turned
      (self.turned, outsideSince, isInside) = (nil, nil, false)
    }
    let new = numbers.new
    let isAhead = isUp ? new > base : new < base
    if isAhead, Self.isMove(from: base, to: new, value.exact, atLeast: step) {
      (reference, turned) = (value, nil)
      facts.old = base
      return tell(at, repeats)
    }
    reference = Value(exact: value.exact.with(base), isUpTo: value.isUpTo)
    if new == base || isAhead {
      (turned, outsideSince) = (nil, nil)
      return remind(at, repeats)
    }
    turned = new
    outsideSince = outsideSince ?? at
    return nil
  }

  /// Whether two different values are at least a step apart.
  private static func isMove(
    from old: Int64, to new: Int64, _ value: Reward.Value, atLeast step: ValueBound?
  ) -> Bool {
    let distance = Int128(new) - Int128(old)
    switch step {
    case nil: return true
    case .percent(let hundredths):
      return distance.magnitude * 10_000 >= UInt128(old.magnitude) * UInt128(hundredths.magnitude)
    case .amount, .anyAmount:
      return step?.limit(in: value).map { distance.magnitude >= $0.magnitude } ?? false
    }
  }

  /// `best`. The reference is the value that was told.
  fileprivate mutating func improve(
    to value: Value, _ observation: WatchObservation, _ start: Int64?, _ at: Int64,
    _ repeats: Watch.Repeat, _ history: () -> [RewardPoint], _ facts: inout Facts
  ) -> Telling? {
    let role = observation.role
    let known = reference?.numbers(to: value)
    if known.map({ role.isBetter($0.old, than: $0.new) }) ?? true { isInside = false }
    let earlier = observation.earlier?.numbers(to: value)
    // The previous value is one of the last days, or there is none in them.
    if let earlier, !role.isBetter(earlier.new, than: earlier.old) { return remind(at, repeats) }
    var best = RewardHistory.best(history(), like: value, role, from: start, before: at)
    if start == nil, let told = known?.old { best = role.better(best ?? told, told) }
    if let best, role.isBetter(value.exact.number, than: best) {
      reference = value
      facts.best = best
      return tell(at, repeats)
    }
    return remind(at, repeats)
  }

  /// `nearBest`.
  fileprivate mutating func approach(
    within hundredths: Int64, _ observation: WatchObservation, _ start: Int64?, _ at: Int64,
    _ repeats: Watch.Repeat, _ history: () -> [RewardPoint], _ facts: inout Facts
  ) -> Telling? {
    let role = observation.role
    guard observation.isListed, let value = observation.current else {
      return enter(false, at, repeats)
    }
    guard let past = RewardHistory.best(history(), like: value, role, from: start, before: at)
    else {
      // The first value is the best, which is no news, and is not told again either before a day has passed.
      (isInside, outsideSince) = (true, nil)
      toldAt = toldAt.map { _ in at }
      return nil
    }
    let best = role.better(past, value.exact.number)
    func isNear(_ number: Int64) -> Bool {
      // The best is at least as good, so that the distance has no sign.
      let distance = (Int128(best) - Int128(number)).magnitude
      return distance * 10_000 <= UInt128(best.magnitude) * UInt128(hundredths.magnitude)
    }
    // The value was near before the watch saw the offer.
    if isBlank, let earlier = observation.earlier?.numbers(to: value)?.old, isNear(earlier) {
      isInside = true
    }
    facts.best = best
    return enter(isNear(value.exact.number), at, repeats)
  }
}

extension Reward.Value {
  /// The number, in minor units or hundredths of a percent.
  fileprivate var number: Int64 {
    switch self {
    case .amount(let units, _): units
    case .percent(let hundredths): hundredths
    }
  }

  /// Another number in the same unit.
  fileprivate func with(_ number: Int64) -> Self {
    switch self {
    case .amount(_, let currency): .amount(minorUnits: number, currency: currency)
    case .percent: .percent(hundredths: number)
    }
  }
}

extension ValueRole {
  /// Whether a number is better for the user than another: a higher reward, a lower price.
  fileprivate func isBetter(_ number: Int64, than other: Int64) -> Bool {
    self == .reward ? number > other : number < other
  }

  /// The better of two numbers.
  fileprivate func better(_ one: Int64, _ other: Int64) -> Int64 {
    isBetter(one, than: other) ? one : other
  }
}

extension RewardHistory {
  /// The best number of the values in the history that are comparable with a value and were in force
  /// between two times, in Unix seconds: from their point to the next one, unless the offer was gone.
  ///
  /// - Parameters:
  ///   - points: the history, oldest first.
  ///   - value: the value.
  ///   - role: the meaning of the values.
  ///   - start: the beginning; nil for ever.
  ///   - end: the end. Points at this time and later are not read.
  /// - Returns: nil without such a value.
  fileprivate static func best(
    _ points: [RewardPoint], like value: WatchState.Value, _ role: ValueRole, from start: Int64?,
    before end: Int64
  ) -> Int64? {
    var best: Int64?
    // The newest first, since all of them may be older than the start.
    var until = end
    for index in points.indices.reversed() {
      let at = points[index].at.storedSeconds
      if at >= end { continue }
      if let start, until <= start { break }
      until = at
      if points[index].event == .gone { continue }
      guard let reward = points[index].reward, let exact = reward.value,
        let number = WatchState.Value(exact, isUpTo: reward.isUpTo)?.numbers(to: value)?.old
      else { continue }
      best = best.map { role.better($0, number) } ?? number
    }
    return best
  }
}
