import OffersCore
import OffersSync

extension FetchedImages {
  /// The most reasons of failures in the line.
  private static let reasonLimit = 3

  /// A line such as `images: 12 fetched, 38 already cached, 3 failed: albums:1 and 2 more: The server
  /// answered 404`: each distinct reason with the first offer and the number of the others, the most
  /// frequent reason first.
  var line: String {
    let counts =
      "images: \(Units.count(fetched)) fetched, \(Units.count(held)) already cached, "
      + "\(Units.count(failures.count)) failed"
    let reasons = Dictionary(grouping: failures) { $0.error.message }.sorted {
      ($1.value.count, $0.value[0].ref, $0.key) < ($0.value.count, $1.value[0].ref, $1.key)
    }
    if reasons.isEmpty { return counts }
    var parts = reasons.prefix(Self.reasonLimit).map { message, failures in
      let others = failures.count > 1 ? " and \(Units.count(failures.count - 1)) more" : ""
      return
        "\(failures[0].ref)\(others): \(message.hasSuffix(".") ? String(message.dropLast()) : message)"
    }
    let rest = reasons.count - Self.reasonLimit
    if rest > 0 { parts.append("\(Units.count(rest, "other reason")), see offers cache") }
    return DisplayText.oneLine("\(counts): \(parts.joined(separator: "; "))")
  }

  /// A line for each distinct hint of the failures: what to do about them.
  var hintLines: [String] {
    Set(failures.compactMap(\.error.advice?.printed)).sorted().map {
      DisplayText.oneLine("  " + $0)
    }
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
