import Foundation
import OffersCore

/// Decides whether a feed is fetched now, and computes the fetch state after each sync.
///
/// The results depend on the properties and arguments only: time and randomness are passed in.
struct FetchSchedule: Sendable {
  /// The sync interval of the feed.
  let everySeconds: Int
  /// A random factor from 0.8 to 1.2, by which the wait after a failure is multiplied, so that
  /// clients do not return all at once.
  let jitter: Double

  /// The wait after the first failure. It doubles with each further one.
  static let firstWaitSeconds = 3600.0
  /// The largest value of `jitter`.
  private static let longestJitter = 1.2
  /// The longest wait after a failure.
  static let longestWaitSeconds = 7.0 * 86_400
  /// The time after the last unconditional fetch from which on requests are unconditional again:
  /// some servers keep answering 304 although the document has changed.
  static let validatorSeconds = 8.0 * 86_400

  /// Why the feed must not be fetched now; nil when it may be fetched.
  ///
  /// - Parameters:
  ///   - reason: `forced` skips nothing; `asked` skips a feed that is stopped or whose server
  ///     requested a pause; `due` also skips one that is not due.
  ///   - state: the stored state of the feed; nil if there is none.
  func skip(_ reason: SyncReason, _ state: SyncState?, now: Date) -> SyncSkip? {
    guard let state, reason != .forced else { return nil }
    if let since = state.fetch.stoppedAt { return .stopped(since: since) }
    // A time beyond the longest possible wait was stored under a wrong clock, and is ignored.
    if let until = state.fetch.waitUntil, until > now,
      until <= now.addingTimeInterval(Self.longestWaitSeconds)
    {
      return .wait(until: until)
    }
    let nextDue = state.fetch.nextDue(lastRunAt: state.lastRunAt, everySeconds: everySeconds)
    guard reason == .due, let due = nextDue, isAhead(due, state.fetch, now) else { return nil }
    let failures = state.fetch.failureCount
    return failures > 0 ? .backOff(until: due, failures: failures) : .fresh(until: due)
  }

  /// Whether a due time is still ahead. One that is less than a twentieth of the interval ahead, at
  /// most 5 minutes, counts as reached: a periodic job that starts a bit early then syncs the feed.
  /// One beyond the longest possible wait was stored under a wrong clock, and counts as reached,
  /// too.
  private func isAhead(_ due: Date, _ fetch: FetchState, _ now: Date) -> Bool {
    let slack = min(TimeInterval(everySeconds) / 20, 300)
    return due > now.addingTimeInterval(slack)
      && due <= now.addingTimeInterval(longestWait(fetch) + slack)
  }

  /// The longest wait that a due time can stand for, in seconds: that after so many failures, or the
  /// one that the server requested; otherwise the interval, or that of a document that stays fresh.
  private func longestWait(_ fetch: FetchState) -> TimeInterval {
    if fetch.failureCount > 0 {
      return fetch.waitUntil == nil
        ? Self.backOffSeconds(afterFailures: fetch.failureCount) * Self.longestJitter
        : Self.longestWaitSeconds
    }
    return TimeInterval(
      everySeconds * (fetch.nextDueAt == nil ? 1 : FetchState.freshnessIntervals))
  }

  /// The wait after a number of failures, at least 1, without jitter, in seconds.
  static func backOffSeconds(afterFailures count: Int) -> TimeInterval {
    min(firstWaitSeconds * pow(2, Double(min(count - 1, 20))), longestWaitSeconds)
  }

  /// Whether to send the stored validators: there are some, the stored document was read under the
  /// same rules, and was fetched unconditionally less than `validatorSeconds` ago.
  ///
  /// - Parameter rules: the hash of the present rules; see `FeedDefinition.derivationSeed`.
  func asksConditionally(_ fetch: FetchState, rules: UInt64, now: Date) -> Bool {
    guard fetch.validatedMark != nil, fetch.validatedRules == rules,
      fetch.etag != nil || fetch.lastModified != nil, let full = fetch.fullFetchAt
    else { return false }
    return full <= now && now.timeIntervalSince(full) < Self.validatorSeconds
  }

  /// The fetch state after a sync that succeeded, or whose removals were held back.
  ///
  /// - Parameters:
  ///   - fetch: the state before the sync.
  ///   - answer: the metadata of the responses; nil if the source is not a URL.
  ///   - source: the source without the values of variables.
  ///   - rules: the hash of the rules that the document was read with.
  ///   - held: what is held back; nil if nothing is.
  ///   - confirmAt: when a sync can confirm it, which is then due before the usual time unless the
  ///     server declares that the document stays fresh.
  ///   - usualSeconds: the freshness lifetime found last time; passed only when the document is
  ///     unchanged, because it was then not parsed and its own TTL is unknown. A lifetime that the
  ///     server declares takes precedence.
  func afterSuccess(
    _ fetch: FetchState, _ answer: FetchMetadata?, source: String, rules: UInt64, held: HeldBack?,
    confirmAt: Date? = nil,
    usualSeconds: TimeInterval? = nil, now: Date
  ) -> FetchState {
    var next = fetch
    next.failureCount = 0
    next.failingSince = nil
    next.stoppedAt = nil
    next.waitUntil = nil
    next.nextDueAt = answer.flatMap { longerDue($0, usualSeconds, now) }
    next.held = held
    if next.nextDueAt == nil {
      next.nextDueAt = [confirmAt.map { max($0, now) }, usualDue(afterConfirming: fetch, now)]
        .compactMap(\.self).filter { $0 < now.addingTimeInterval(TimeInterval(everySeconds)) }.min()
    }
    setValidators(&next, answer, rules, now)
    setMove(&next, answer, source)
    return next
  }

  /// The fetch state after a failed sync. The validators stay, because the stored document does.
  func afterFailure(_ fetch: FetchState, _ answer: FetchMetadata?, now: Date) -> FetchState {
    var next = fetch
    next.failureCount += 1
    next.failingSince = fetch.failingSince ?? now
    let wait = min(
      Self.backOffSeconds(afterFailures: next.failureCount) * jitter, Self.longestWaitSeconds)
    // A wait that the server requested is never shortened by a later response, unless it was stored
    // under a wrong clock.
    let longest = now.addingTimeInterval(Self.longestWaitSeconds)
    let earlier = fetch.waitUntil.flatMap { $0 > now && $0 <= longest ? $0 : nil }
    next.waitUntil = [earlier, answer?.retryAfter].compactMap(\.self).max()
    next.nextDueAt = max(now.addingTimeInterval(wait), next.waitUntil ?? now)
    if answer?.isGoneForGood == true { next.stoppedAt = now }
    // After a failure the address in the source is used again, even if it had permanently moved.
    next.movedFrom = nil
    next.movedTo = nil
    next.movedCount = 0
    return next
  }

  /// The fetch state after a search, or after a sync from another source that is not remembered. It
  /// has no validators, because some stored offers no longer come from the document that they
  /// describe. Nil when nothing changes.
  ///
  /// - Parameters:
  ///   - fetch: the state before the search or sync; nil if there is none.
  ///   - held: what is held back after it; nil if nothing is.
  func afterOther(_ fetch: FetchState?, held: HeldBack?) -> FetchState? {
    guard var next = fetch ?? held.map({ _ in FetchState() }) else { return nil }
    forgetValidators(&next)
    next.held = held
    return next == fetch ? nil : next
  }

  private func forgetValidators(_ next: inout FetchState) {
    next.etag = nil
    next.lastModified = nil
    next.validatedMark = nil
    next.validatedRules = nil
    next.fullFetchAt = nil
  }

  /// The due time if the freshness lifetime is longer than the interval; otherwise nil. A lifetime
  /// counts for at most `FetchState.freshnessIntervals` intervals.
  ///
  /// - Parameter usual: the lifetime in seconds where the answer has none.
  private func longerDue(_ answer: FetchMetadata, _ usual: TimeInterval?, _ now: Date) -> Date? {
    let said = answer.freshSeconds ?? usual.map { Int(max(0, min($0, 1e9))) } ?? 0
    let fresh = min(said, everySeconds * FetchState.freshnessIntervals)
    return fresh > everySeconds ? now.addingTimeInterval(TimeInterval(fresh)) : nil
  }

  /// The next usual time after a sync while something was held back: a whole number of intervals after the
  /// sync that held it back. So a sync that confirms it does not move the usual time. Nil if nothing was
  /// held back, or if only a user decides about it.
  private func usualDue(afterConfirming fetch: FetchState, _ now: Date) -> Date? {
    guard let held = fetch.held, held.until != nil, held.since < now else { return nil }
    let every = TimeInterval(everySeconds)
    // A periodic job may start a bit early; see `isAhead`.
    let age = now.timeIntervalSince(held.since) + min(every / 20, 300)
    return held.since.addingTimeInterval((age / every).rounded(.up) * every)
  }

  private func setValidators(
    _ next: inout FetchState, _ answer: FetchMetadata?, _ rules: UInt64, _ now: Date
  ) {
    guard let answer, answer.vouches, answer.addressMark != nil || answer.isNotModified else {
      return forgetValidators(&next)
    }
    if answer.isNotModified {
      // A 304 can carry new validators of the document (RFC 9110, section 15.4.5).
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

  private func setMove(_ next: inout FetchState, _ answer: FetchMetadata?, _ source: String) {
    guard let answer else { return }
    if next.findNewAddress(of: source) != nil { return }
    let isSame = next.movedFrom == source && next.movedTo == answer.permanentAddress
    next.movedFrom = answer.permanentAddress.map { _ in source }
    next.movedTo = answer.permanentAddress
    next.movedCount = answer.permanentAddress == nil ? 0 : isSame ? next.movedCount + 1 : 1
  }
}
