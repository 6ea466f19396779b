import ArgumentParser
import OffersCore

/// A check of the names of commands in a command line. It runs before ArgumentParser, which reports
/// a misspelt command only as an unexpected argument.
enum CommandNameCheck {
  /// Refuses an unknown command or subcommand. The hint suggests a command with a similar name, if
  /// there is one.
  ///
  /// - Parameters:
  ///   - words: the command line without the program's name. Nothing is checked from the first
  ///     option on.
  ///   - root: the command of the program itself.
  /// - Throws: `OffersError` with `invalidRequest`.
  static func check(_ words: [String], under root: any ParsableCommand.Type) throws {
    var command = root
    var path = name(of: root)
    // `offers help COMMAND` names the command after the word `help`.
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
