import ArgumentParser
import OffersCore

/// The commands there are, looked at before the parser does: it tells of a wrong one only that it
/// is unexpected.
enum CommandTree {
  /// Refuses a command that there is not, and names the nearest one.
  static func check(_ words: [String], under root: any ParsableCommand.Type) throws {
    var command = root
    var path = name(of: root)
    for word in words {
      let below = command.configuration.subcommands
      if below.isEmpty || word.hasPrefix("-") || word == "help" { return }
      guard let next = below.first(where: { name(of: $0) == word }) else {
        let names = below.filter { $0.configuration.shouldDisplay }.map { name(of: $0) }
        throw OffersError(
          .invalidRequest, "There is no command “\(path) \(word)”.",
          hint: NearestWord.hint(for: word, among: names, title: "Commands"))
      }
      command = next
      path += " " + word
    }
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }
}
