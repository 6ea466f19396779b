import OffersCore

/// The bounds behind which a pruning removes rows.
struct PruneBounds: Sendable {
  /// A time before which something is old, by its own time and in the order of the runs.
  ///
  /// A run is old if it started before `seconds` and before any run that started since then. So what
  /// was recorded while the clock was behind is kept as long as what was recorded just before.
  struct Age: Sendable {
    /// In Unix seconds.
    let seconds: Int64
    /// The number of the first run since then.
    let run: Int64

    /// - Parameters:
    ///   - seconds: the time, in Unix seconds.
    ///   - time: the time from which ages are counted. Later runs were recorded by a clock that was
    ///     ahead, and make no other run young.
    ///   - history: the recorded runs.
    init(
      before seconds: Int64, countingFrom time: Int64, in history: StoredHistory
    ) throws {
      self.seconds = seconds
      run = try history.findFirstRun(from: seconds, through: time) ?? .max
    }
  }

  /// The time from which ages are counted, in Unix seconds.
  let time: Int64
  /// Vanished offers are removed if they were gone before it.
  let gone: Age
  let history: Age
  /// The age of runs that changed no offer.
  let idleRuns: Age
  /// The number of the last change that may be old.
  let lastOldChange: Int64
  /// The number up to which changes are removed whatever their age, because there are too many; 0 if
  /// there are not.
  let surplus: Int64

  /// The number up to which changes may be removed.
  var through: Int64 { max(lastOldChange, surplus) }

  /// - Parameters:
  ///   - time: the time from which ages are counted, in Unix seconds.
  ///   - goneSeconds: the age of the vanished offers that are removed.
  ///   - limit: the bound on the number of changes.
  ///   - moreSeconds: is added to the ages, except for that of vanished offers.
  ///   - runs: the history to prune.
  init(
    countingFrom time: Int64, goneSeconds: Int64, limit: HistoryLimit, moreSeconds: Int64 = 0,
    in runs: StoredHistory
  ) throws {
    self.time = time
    surplus = try runs.findSurplus(over: limit) ?? 0
    func age(_ seconds: Int64) throws -> Age {
      try Age(before: time - seconds - moreSeconds, countingFrom: time, in: runs)
    }
    // An offer that has been gone for exactly so long is removed.
    gone = try Age(before: time - goneSeconds + 1, countingFrom: time, in: runs)
    history = try age(Retention.historySeconds)
    idleRuns = try age(Retention.idleRunSeconds)
    lastOldChange = try runs.findLastChange(beforeRun: self.history.run)
  }
}
