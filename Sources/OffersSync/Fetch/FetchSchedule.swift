import Foundation
import OffersCore

/// Decides when a feed is fetched, and what is remembered of a fetch for the next one.
///
/// Pure: the time and the chance are given.
struct FetchSchedule: Sendable {
  /// How often the feed should be synced.
  let everySeconds: Int
  /// What a wait after a failure is multiplied by, 0.8 to 1.2, so that clients do not come back all
  /// at once.
  let jitter: Double

  /// The wait after the first failure, which doubles with each further one, and the longest.
  static let firstWaitSeconds = 3600.0
  static let longestWaitSeconds = 7.0 * 86_400
  /// How long a server may answer “not modified” before it is asked for the document itself: some
  /// are stuck on that answer.
  static let validatorSeconds = 8.0 * 86_400

  /// Why a feed is not to be fetched now; nil when it is.
  func skip(_ reason: SyncReason, _ state: SyncState?, now: Date) -> SyncSkip? {
    guard let state, reason != .forced else { return nil }
    if let since = state.fetch.stoppedAt { return .stopped(since: since) }
    // A time beyond the longest possible wait is left from a clock that was wrong.
    if let until = state.fetch.waitUntil, until > now,
      until <= now.addingTimeInterval(Self.longestWaitSeconds)
    {
      return .wait(until: until)
    }
    let nextDue = state.fetch.nextDue(lastRunAt: state.lastRunAt, everySeconds: everySeconds)
    guard reason == .due, let due = nextDue, isAhead(due, now) else { return nil }
    let failures = state.fetch.failureCount
    return failures > 0 ? .backOff(until: due, failures: failures) : .fresh(until: due)
  }

  /// Whether a time is still to be waited for. Whoever runs every hour comes a few seconds sooner
  /// or later each time and shall not miss a turn by that.
  private func isAhead(_ due: Date, _ now: Date) -> Bool {
    let slack = min(TimeInterval(everySeconds) / 20, 300)
    let longest = max(
      Self.longestWaitSeconds * 1.2, TimeInterval(everySeconds * FetchState.freshnessIntervals))
    return due > now.addingTimeInterval(slack) && due <= now.addingTimeInterval(longest)
  }

  /// Whether to ask only for something newer than the stored document.
  func asksConditionally(_ fetch: FetchState, rules: UInt64, now: Date) -> Bool {
    guard fetch.validatedMark != nil, fetch.validatedRules == rules,
      fetch.etag != nil || fetch.lastModified != nil, let full = fetch.fullFetchAt
    else { return false }
    return full <= now && now.timeIntervalSince(full) < Self.validatorSeconds
  }

  /// What is remembered after a sync that worked, or whose removals were held back.
  ///
  /// - Parameter usualSeconds: how long the document stayed good the last time, for one that is
  ///   still the same and was not read for its own word on that.
  func afterSuccess(
    _ fetch: FetchState, _ answer: FetchAnswer?, source: String, rules: UInt64, isHeld: Bool,
    usualSeconds: TimeInterval? = nil, now: Date
  ) -> FetchState {
    var next = fetch
    next.failureCount = 0
    next.failingSince = nil
    next.stoppedAt = nil
    next.waitUntil = nil
    next.nextDueAt = answer.flatMap { longerDue($0, usualSeconds, now) }
    next.heldSince = isHeld ? fetch.heldSince ?? now : nil
    next.heldCount = isHeld ? fetch.heldCount + 1 : 0
    setValidators(&next, answer, rules, now)
    setMove(&next, answer, source)
    return next
  }

  /// What is remembered after a sync that failed. The validators stay: what they vouch for is still
  /// what is stored.
  func afterFailure(_ fetch: FetchState, _ answer: FetchAnswer?, now: Date) -> FetchState {
    var next = fetch
    next.failureCount += 1
    next.failingSince = fetch.failingSince ?? now
    let doubled = Self.firstWaitSeconds * pow(2, Double(min(fetch.failureCount, 20)))
    let wait = min(min(doubled, Self.longestWaitSeconds) * jitter, Self.longestWaitSeconds)
    // What a server asked for stands until it is over, whatever else it says meanwhile.
    next.waitUntil = [fetch.waitUntil.flatMap { $0 > now ? $0 : nil }, answer?.retryAfter]
      .compactMap(\.self).max()
    next.nextDueAt = max(now.addingTimeInterval(wait), next.waitUntil ?? now)
    if answer?.isGoneForGood == true { next.stoppedAt = now }
    // A new address that fails is given up for the old one.
    next.movedFrom = nil
    next.movedTo = nil
    next.movedCount = 0
    return next
  }

  /// What is remembered after a search, or after a sync from another source that stays the exception:
  /// some offers are no longer what the validators vouch for. Nil for what is there already.
  ///
  /// - Parameter endsHolding: whether what was held back is over, too: all offers come from elsewhere.
  func afterOther(_ fetch: FetchState?, endsHolding: Bool) -> FetchState? {
    guard var next = fetch else { return nil }
    forgetValidators(&next)
    if endsHolding {
      next.heldSince = nil
      next.heldCount = 0
    }
    return next == fetch ? nil : next
  }

  private func forgetValidators(_ next: inout FetchState) {
    next.etag = nil
    next.lastModified = nil
    next.validatedMark = nil
    next.validatedRules = nil
    next.fullFetchAt = nil
  }

  /// When to come back to a server that asks for more than the interval; nil for the interval.
  private func longerDue(_ answer: FetchAnswer, _ usual: TimeInterval?, _ now: Date) -> Date? {
    let said = answer.freshSeconds ?? usual.map { Int(max(0, min($0, 1e9))) } ?? 0
    let fresh = min(said, everySeconds * FetchState.freshnessIntervals)
    return fresh > everySeconds ? now.addingTimeInterval(TimeInterval(fresh)) : nil
  }

  private func setValidators(
    _ next: inout FetchState, _ answer: FetchAnswer?, _ rules: UInt64, _ now: Date
  ) {
    guard let answer, answer.vouches, answer.addressMark != nil || answer.isNotModified else {
      return forgetValidators(&next)
    }
    if answer.isNotModified {
      // An answer without a document can bring new validators for it (RFC 9110, section 15.4.5).
      next.etag = answer.validators.etag ?? next.etag
      next.lastModified = answer.validators.lastModified ?? next.lastModified
      return
    }
    next.etag = answer.validators.etag
    next.lastModified = answer.validators.lastModified
    next.validatedMark = answer.addressMark
    next.validatedRules = rules
    next.fullFetchAt = now
  }

  private func setMove(_ next: inout FetchState, _ answer: FetchAnswer?, _ source: String) {
    guard let answer else { return }
    if next.findNewAddress(of: source) != nil { return }
    let isSame = next.movedFrom == source && next.movedTo == answer.permanentAddress
    next.movedFrom = answer.permanentAddress.map { _ in source }
    next.movedTo = answer.permanentAddress
    next.movedCount = answer.permanentAddress == nil ? 0 : isSame ? next.movedCount + 1 : 1
  }
}
