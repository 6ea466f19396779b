import Glibc
import OffersCore
import Synchronization

/// A progress line on standard error, which appears when work has taken half a second. Nothing is
/// printed if standard error is no terminal on which a line can be redrawn.
final class ProgressBar: Sendable {
  private struct State {
    var begun = ContinuousClock.now
    /// Makes the text of the line from the latest progress, given the seconds since the start.
    var latest: (@Sendable (Double) -> String)?
    var isVisible = false
    var ticker: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let isEnabled: Bool

  init(isEnabled: Bool) { self.isEnabled = isEnabled && Terminal.canRedraw }

  func show(_ progress: SyncProgress) { show { Self.line(progress, seconds: $0) } }

  /// Sets how many images are done: fetched, found in the cache, or failed.
  func show(images done: Int, of total: Int) {
    show { _ in "images  \(Self.bar(Double(done) / Double(max(1, total))))  \(done) of \(total)" }
  }

  /// Sets how much of some work is done.
  ///
  /// - Parameters:
  ///   - total: the size of the whole work; 0 if it is not known.
  ///   - amount: the words for a size, such as `12 kB`.
  func show(
    _ work: String, _ done: Int, of total: Int, _ amount: @escaping @Sendable (Int) -> String
  ) {
    show { seconds in
      let rate = seconds > 0 ? "\(amount(Int(Double(done) / seconds))) a second" : ""
      guard total > 0, done > 0 else { return "\(work)  \(rate)" }
      let share = min(1, Double(done) / Double(total))
      let left = Units.duration(seconds * (1 - share) / share)
      return "\(work)  \(Self.bar(share)) \(Int(share * 100)) %  \(rate)  \(left) left"
    }
  }

  private func show(_ line: @escaping @Sendable (Double) -> String) {
    guard isEnabled else { return }
    state.withLock { state in
      state.latest = line
      if state.ticker == nil { state.ticker = Task { await self.draw() } }
    }
  }

  /// Draws the line after half a second and then ten times a second, until the task is cancelled.
  /// So the estimated times are updated even if no progress is reported.
  private func draw() async {
    var pause = Duration.milliseconds(500)
    // A sleep fails only when the task is cancelled.
    while (try? await Task.sleep(for: pause)) != nil {
      state.withLock { state in
        guard !Task.isCancelled, let latest = state.latest else { return }
        state.isVisible = true
        let text = latest((ContinuousClock.now - state.begun) / .seconds(1))
        Output.redraw(DisplayText.fit(DisplayText.oneLine(text), Terminal.errorWidth - 1))
      }
      pause = .milliseconds(100)
    }
  }

  /// Erases the line and stops the redraws.
  func clear() {
    state.withLock { state in
      state.ticker?.cancel()
      if state.isVisible { Output.redraw("") }
      state = State()
    }
  }

  /// Installs a handler of SIGINT that erases the progress line before the program ends.
  ///
  /// The program ends by the same signal, so that a shell reports status 130. The handler closes no
  /// database, because SQLite discards a transaction that was not committed.
  static func clearWhenInterrupted() {
    guard Terminal.canRedraw else { return }
    signal(SIGINT) { number in
      let clearing = Output.lineStart
      _ = write(STDERR_FILENO, clearing.utf8Start, clearing.utf8CodeUnitCount)
      signal(number, SIG_DFL)
      raise(number)
    }
  }

  private static func bar(_ share: Double) -> String {
    let filled = Int(share * 20)
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: "·", count: 20 - filled) + "]"
  }

  /// The text of the line, such as `ibotta  [############········] 61 %  21 MB  61,000 read  2.50 s
  /// left` or, once the document is read, `ibotta  writing  34 MB  97,500 read`.
  static func line(_ progress: SyncProgress, seconds: Double) -> String {
    var parts = [progress.feed]
    if progress.isWriting {
      parts.append("writing")
    } else if let total = progress.totalBytes, total > 0 {
      let share = min(1, Double(progress.bytes) / Double(total))
      parts.append("\(bar(share)) \(Int(share * 100)) %")
    }
    parts.append(Units.size(progress.bytes))
    parts.append("\(Units.count(progress.records)) read")
    if !progress.isWriting, let total = progress.totalBytes, progress.bytes > 0, seconds > 0 {
      let left = seconds * Double(max(0, total - progress.bytes)) / Double(progress.bytes)
      parts.append("\(Units.duration(left)) left")
    }
    return parts.joined(separator: "  ")
  }
}
