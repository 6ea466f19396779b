import OffersSync
import Synchronization

/// A line on standard error that shows how far a sync is, for those that take longer than half a
/// second. Silent where standard error is no terminal.
final class ProgressBar: Sendable {
  private struct State {
    var begun = ContinuousClock.now
    var lastDrawn: ContinuousClock.Instant?
    var isVisible = false
  }

  private let state = Mutex(State())
  private let isEnabled: Bool

  init(isEnabled: Bool) {
    self.isEnabled = isEnabled && Terminal.isError
  }

  func show(_ progress: SyncProgress) {
    guard isEnabled else { return }
    state.withLock { state in
      let now = ContinuousClock.now
      guard now - state.begun > .milliseconds(500) else { return }
      if let last = state.lastDrawn, now - last < .milliseconds(100), !progress.isWriting { return }
      state.lastDrawn = now
      state.isVisible = true
      let seconds = (now - state.begun) / .seconds(1)
      let text = Self.line(progress, seconds: seconds)
      Output.noteRaw("\r\u{1B}[K" + DisplayText.fit(text, Terminal.errorWidth - 1))
    }
  }

  /// Takes the line away again.
  func clear() {
    state.withLock { state in
      if state.isVisible { Output.noteRaw("\r\u{1B}[K") }
      state = State()
    }
  }

  /// `ibotta  [######····]  61 %  21.3 MB  61,000 read  0:02 left`
  static func line(_ progress: SyncProgress, seconds: Double) -> String {
    var parts = [progress.feed]
    if progress.isWriting {
      parts.append("writing")
    } else if let total = progress.totalBytes, total > 0 {
      let share = min(1, Double(progress.bytes) / Double(total))
      let filled = Int(share * 20)
      let bar = String(repeating: "#", count: filled) + String(repeating: "·", count: 20 - filled)
      parts.append("[\(bar)] \(Int(share * 100)) %")
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
