import ArgumentParser
import OffersCore

/// `offers manual`, with which the installation makes the manual page: the help of each command, in
/// the macros of man(7).
struct ManualCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Print the manual page, for man.",
    shouldDisplay: false)

  func run() async throws {
    let abstract = Self.escaped(Offers.configuration.abstract)
    var page = """
      .TH OFFERS 1 "" "offers \(Version.current)" "User Commands"
      .SH NAME
      offers \\- \(abstract)
      .SH OVERVIEW

      """
    page += Self.literal(Offers.helpMessage(columns: Self.columns))
    for command in Offers.configuration.subcommands { Self.add(command, "offers", to: &page) }
    try Output.printData(page, terminator: "")
  }

  /// The width of the help's lines, which leaves room for the indentation of man.
  private static let columns = 72

  private static func add(
    _ command: any ParsableCommand.Type, _ path: String, to page: inout String
  ) {
    guard command.configuration.shouldDisplay else { return }
    let path = path + " " + (command.configuration.commandName ?? "")
    page += ".SH \"\(path)\"\n"
    page += literal(Offers.helpMessage(for: command, columns: columns))
    for below in command.configuration.subcommands { add(below, path, to: &page) }
  }

  /// A text that keeps its line breaks (`.nf`).
  private static func literal(_ text: String) -> String {
    let lines = text.split(scalar: "\n", omittingEmptySubsequences: false)
    return ".nf\n" + lines.map { escaped(String($0)) + "\n" }.joined() + ".fi\n"
  }

  /// A line with backslashes and hyphens escaped, and without a dot or an apostrophe at its start,
  /// where it would begin a request.
  private static func escaped(_ line: String) -> String {
    let text = line.replacing(bytes: "\\", with: "\\e").replacing(bytes: "-", with: "\\-")
    return line.utf8.first.map { ".'".utf8.contains($0) } == true ? "\\&" + text : text
  }
}
