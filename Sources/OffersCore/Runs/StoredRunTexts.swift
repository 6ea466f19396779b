import Foundation
import OffersPlatform

extension Hint {
  /// The command that syncs a feed from a source, or from its usual one if `source` is nil. Values in
  /// the source are hidden, because errors are stored and logged.
  package static func syncCommand(_ feed: String, from source: String?) -> String {
    "offers sync \(feed)"
      + (source.map { " --from " + ShellQuoting.word(AddressRedaction.hidden(in: $0)) } ?? "")
  }

  /// A hint that was stored as its text and its command. An object in the place of the command, as
  /// old runs have, is ignored: the text says what to do.
  package init(_ text: String, storedCommand: String?) {
    self.init(
      text,
      command: storedCommand.flatMap { try? JSONDecoder().decode(String.self, from: Data($0.utf8)) }
    )
  }

  /// The JSON string by which stores keep the command.
  package var storedCommand: String? {
    command.map { command in
      var json = JSONWriter()
      json.value(command)
      return json.text
    }
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
