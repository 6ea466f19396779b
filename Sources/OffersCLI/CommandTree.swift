import ArgumentParser
import OffersCore

/// The commands there are, looked at before the parser does: it tells of a wrong one only that it
/// is unexpected.
enum CommandTree {
  /// Refuses a command that there is not, and names the nearest one.
  static func check(_ words: [String], under root: any ParsableCommand.Type) throws {
    var command = root
    var path = name(of: root)
    // Help on a command names it behind that word.
    for word in words.first == "help" ? words.dropFirst() : words[...] {
      let below = command.configuration.subcommands
      if below.isEmpty || word.hasPrefix("-") { return }
      guard let next = below.first(where: { name(of: $0) == word }) else {
        let names = below.filter { $0.configuration.shouldDisplay }.map { name(of: $0) }
        let near = NearestWord.find(word, among: names).map { "Did you mean \($0)? " } ?? ""
        throw OffersError(
          .invalidRequest, "There is no command “\(path) \(word)”.",
          hint: "\(near)See the commands: \(path) --help")
      }
      command = next
      path += " " + word
    }
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }
}
