import OffersCore
import OffersSync

extension FetchedImages {
  /// A line such as `images: 12 fetched, 38 already cached, 0 failed`.
  var line: String {
    "images: \(Units.count(fetched)) fetched, \(Units.count(held)) already cached, "
      + "\(Units.count(failures.count)) failed"
  }

  /// A line for each distinct reason of failures, with the first offer and the number of the
  /// others, then a line for each distinct hint.
  var failureLines: [String] {
    let reasons = Dictionary(grouping: failures) { $0.error.message }
      .sorted { ($0.value[0].ref, $0.key) < ($1.value[0].ref, $1.key) }
    let lines = reasons.map { message, failures in
      let others = failures.count > 1 ? " and \(Units.count(failures.count - 1)) more" : ""
      return "  \(failures[0].ref)\(others): \(message)"
    }
    let hints = Set(failures.compactMap(\.error.advice?.commandText)).sorted().map { "  " + $0 }
    return (lines + hints).map { DisplayText.oneLine($0) }
  }
}

extension JSONWriter {
  /// `{"fetched","held","failed":[{"ref","reason"}]}`
  mutating func value(_ result: FetchedImages) {
    object { json in
      json.member("fetched", result.fetched)
      json.member("held", result.held)
      json.member("failed", objects: result.failures) { json, failure in
        json.member("ref", failure.ref.description)
        json.member("reason", failure.error.message)
      }
    }
  }
}
