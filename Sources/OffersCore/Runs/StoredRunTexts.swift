import Foundation

extension AdvisedStep {
  /// The text by which stores keep the step: its JSON, without the values in its source.
  package var storedText: String {
    get throws { String(decoding: try JSONEncoder().encode(hidingAddresses()), as: UTF8.self) }
  }

  /// The stored step; nil if there is none or this version does not know it. The hint then still
  /// says what to do.
  package init?(storedText: String?) {
    guard let storedText,
      let step = try? JSONDecoder().decode(Self.self, from: Data(storedText.utf8))
    else { return nil }
    self = step
  }
}

extension ReadProblem {
  /// The text by which stores keep the problems of a run: a JSON array, or nil without a problem.
  package static func storedText(of problems: [ReadProblem]) -> String? {
    if problems.isEmpty { return nil }
    var json = JSONWriter()
    json.array { json in
      for problem in problems {
        json.object { json in
          json.member("position", problem.position)
          json.member("effect", problem.effect.rawValue)
          json.member("reason", problem.reason)
        }
      }
    }
    return json.text
  }
}
