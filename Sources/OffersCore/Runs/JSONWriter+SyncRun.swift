extension JSONWriter {
  /// Writes a run in the form of `--json` and the API. `explains` adds the reason of the run, the
  /// server's answer and the time of the next sync; `more` writes further members.
  package mutating func value(
    _ run: SyncRun, explains: Bool = false, _ more: (inout JSONWriter) -> Void = { _ in }
  ) {
    object { json in
      json.member("feed", run.feed)
      json.member("outcome", run.outcome.rawValue)
      let counts = run.counts
      json.member("new", counts.new)
      json.member("changed", counts.changed)
      json.member("gone", counts.gone)
      json.member("back", counts.back)
      json.member("unchanged", counts.unchanged)
      json.member("skipped", counts.skipped)
      json.member("bytes", run.bytes)
      json.member("duration_seconds", number: Self.seconds(run.durationSeconds))
      json.member("error", run.error)
      more(&json)
      if explains { json.writeExplanation(of: run) }
    }
  }

  /// Writes a member whose value is a run, or null.
  package mutating func member(_ name: String, _ run: SyncRun?) {
    member(name) { json in if let run { json.value(run) } else { json.null() } }
  }

  private mutating func writeExplanation(of run: SyncRun) {
    member("reason", run.request?.reason.rawValue)
    member("status", run.request?.status)
    member("conditional", run.request?.isConditional)
    member("put_off", object: run.skip) { json, skip in
      json.member("why", skip.name)
      json.member("until", skip.until)
    }
    member("next_due_at", run.nextDueAt ?? run.skip?.until)
  }

  /// A duration in seconds with three decimals, never in exponent notation.
  private static func seconds(_ seconds: Double) -> String {
    let milliseconds = Int(clamped: (max(0, seconds) * 1000).rounded())
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
