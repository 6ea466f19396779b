import Foundation

/// What a watch remembers of one offer. Its size is bounded, and it is stored as a short text.
///
/// The times are Unix seconds.
package struct WatchState: Hashable, Sendable {
  /// The time of the newest observation; nil before the first one. Older ones are ignored.
  package internal(set) var seenAt: Int64?
  /// When the user was told of the offer the last time; nil if never.
  package internal(set) var toldAt: Int64?
  /// Whether the rule holds, or ceased to hold so short a time ago that the offer has not left.
  package internal(set) var isInside = false
  /// Since when the rule does not hold, or, for `up` and `down`, since when the value is on the other side of
  /// `reference`. Nil if it does hold.
  var outsideSince: Int64?
  /// The value with which the next one is compared, for `up`, `down` and `best`.
  var reference: Value?
  /// For `up` and `down`, the last value on the other side, in the unit of `reference`.
  var turned: Int64?

  /// An exact value that may be an upper bound.
  struct Value: Hashable, Sendable {
    var exact: Reward.Value
    var isUpTo: Bool

    /// The numbers of this value and a later one; nil if the two are not comparable.
    func numbers(to new: Value) -> (old: Int64, new: Int64)? {
      isUpTo == new.isUpTo ? Reward.Value.numbers(from: exact, to: new.exact) : nil
    }
  }

  /// The state of an offer that the watch has not seen.
  package init() {}

  /// The state of an offer that was shown when its watch was added, for rules with `holdsAtStart`: it is
  /// the same for all offers.
  package init(shownAt time: Date) {
    seenAt = time.storedSeconds
    toldAt = seenAt
    isInside = true
  }

  /// After how many seconds outside an offer has left.
  package static let leavingSeconds: Int64 = 86_400
  /// After how many seconds a daily reminder is due.
  package static let reminderSeconds: Int64 = 86_400
  /// By how many seconds an observation may be older than the newest and is ignored. If it is still older, the
  /// clock was wrong when the newest was made, and the state goes on from the older one: otherwise a clock
  /// that once showed a later year would silence the watch until then.
  package static let toleranceSeconds: Int64 = 30 * 86_400

  /// Whether the rule holds for the offer, and did not cease to hold since.
  package var isHeld: Bool { isInside && outsideSince == nil }

  /// Whether the state has nothing to remember but the time of an observation. It need not be stored: it
  /// then lets a late observation pass, which the order of the commits of a feed does not have.
  package var isBlank: Bool { hasSameMemory(as: WatchState()) }

  /// Whether two states differ at most in the time of the newest observation, so that a stored one need not
  /// be replaced.
  package func hasSameMemory(as other: WatchState) -> Bool {
    var copy = other
    copy.seenAt = seenAt
    return self == copy
  }

  /// When the rule must be evaluated again although the offer does not change, to repeat the notice; nil
  /// if it need not be.
  package func reminderAt(_ repeats: Watch.Repeat) -> Date? {
    guard repeats == .daily, isInside, outsideSince == nil, let toldAt else { return nil }
    return Date(storedSeconds: toldAt.adding(clamped: Self.reminderSeconds))
  }

  /// The state that has seen an observation at a time; nil if the observation must be ignored.
  func receiving(at time: Int64) -> WatchState? {
    var state = self
    if let seenAt, time <= seenAt {
      if seenAt.subtracting(clamped: time) <= Self.toleranceSeconds { return nil }
      state.toldAt = toldAt.map { min($0, time) }
      state.outsideSince = outsideSince.map { min($0, time) }
    }
    state.seenAt = time
    return state
  }
}

// MARK: Stored text

extension WatchState {
  /// The largest length of a currency that is stored, in bytes of UTF-8. ISO 4217 has three.
  private static let currencyBytes = 12

  /// The state as it is stored: at most 130 bytes, such as `s1764423493 i t1764423493 r300 cUSD`.
  ///
  /// The parts have a letter: `s` for `seenAt`, `t` for `toldAt`, `i` for `isInside`, `o` for `outsideSince`,
  /// `n` for `turned`, and for the reference `r` with its number, `^` if it is an upper bound, `%` if it is a
  /// percentage, and `c` with its currency, which comes last. Absent parts are left out.
  package var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128)
    func add(_ tag: Unicode.Scalar, _ number: Int64? = nil) {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
      bytes.append(UInt8(ascii: tag))
      if let number { bytes += String(number).utf8 }
    }
    if let seenAt { add("s", seenAt) }
    if isInside { add("i") }
    if let toldAt { add("t", toldAt) }
    if let outsideSince { add("o", outsideSince) }
    guard let reference else { return String(decoding: bytes, as: UTF8.self) }
    if let turned { add("n", turned) }
    if reference.isUpTo { add("^") }
    switch reference.exact {
    case .percent(let hundredths):
      add("r", hundredths)
      add("%")
    case .amount(let units, let currency):
      add("r", units)
      if let currency {
        add("c")
        bytes += currency.utf8
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Parses a stored text; nil for a text that is no state: the offer must then be begun anew.
  package init?(parsing text: String) {
    self.init()
    var copy = text
    guard copy.withUTF8({ read($0) }) else { return nil }
  }

  /// Sets the parts that are read; returns false for bytes that are no state.
  private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var number: Int64?
    var (isUpTo, isPercent) = (false, false)
    var currency: String?
    var place = 0
    while place < bytes.count {
      let tag = bytes[place]
      place += 1
      switch tag {
      case UInt8(ascii: "s"), UInt8(ascii: "t"), UInt8(ascii: "o"), UInt8(ascii: "n"),
        UInt8(ascii: "r"):
        guard let read = Self.number(bytes, &place) else { return false }
        switch tag {
        case UInt8(ascii: "s"): seenAt = read
        case UInt8(ascii: "t"): toldAt = read
        case UInt8(ascii: "o"): outsideSince = read
        case UInt8(ascii: "n"): turned = read
        default: number = read
        }
      case UInt8(ascii: "i"): isInside = true
      case UInt8(ascii: "^"): isUpTo = true
      case UInt8(ascii: "%"): isPercent = true
      case UInt8(ascii: "c"):
        guard bytes.count - place <= Self.currencyBytes else { return false }
        currency = String(decoding: UnsafeBufferPointer(rebasing: bytes[place...]), as: UTF8.self)
        place = bytes.count
      default: return false
      }
      if place < bytes.count {
        guard bytes[place] == UInt8(ascii: " ") else { return false }
        place += 1
      }
    }
    guard let number else { return turned == nil && !isUpTo && !isPercent && currency == nil }
    if isPercent, currency != nil { return false }
    let exact: Reward.Value =
      isPercent
      ? .percent(hundredths: number) : .amount(minorUnits: number, currency: currency)
    reference = Value(exact: exact, isUpTo: isUpTo)
    return true
  }

  /// The whole number at a place, which moves behind it; nil for none and for one out of range.
  private static func number(
    _ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int
  ) -> Int64? {
    let isNegative = place < bytes.count && bytes[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let start = place
    var result: Int64 = 0
    while place < bytes.count, bytes[place] &- 0x30 < 10 {
      let (product, isOver) = result.multipliedReportingOverflow(by: 10)
      let digit = Int64(bytes[place] &- 0x30)
      let (sum, isBeyond) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if isOver || isBeyond { return nil }
      result = sum
      place += 1
    }
    return place > start ? result : nil
  }
}

extension WatchState.Value {
  /// The value that an observation has; nil without one, and for a currency that cannot be one.
  init?(_ exact: Reward.Value?, isUpTo: Bool) {
    guard let exact else { return nil }
    if case .amount(_, let currency?) = exact, currency.utf8.count > WatchState.currencyBytes {
      return nil
    }
    self.init(exact: exact, isUpTo: isUpTo)
  }
}
