import ArgumentParser
import OffersCore
import OffersFeeds

/// `offers feeds show`
struct FeedsShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a feed's definition as YAML.",
    discussion: """
      EXAMPLES
        offers feeds show albums
        offers feeds show albums --save    copy it to your file, to change it there
      """)

  @Argument(help: "The feed.")
  var name: String

  @Flag(name: .long, help: "Copy a shipped definition to your file, which overrides it.")
  var save = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if json && save { throw ValidationError("--json and --save exclude each other.") }
  }

  func run() async throws {
    let file = try configuration.path
    guard save else {
      let yaml = try file.load().fetchText(name)
      if !json { return try Output.printData(yaml, terminator: "") }
      return try Output.printData(
        JSONWriter.document { json in
          json.member("name", name)
          json.member("definition", yaml)
        })
    }
    try TextFile.edit(file.text) { yaml in
      let known = try file.configuration(yaml)
      let text = try known.fetchText(name)
      guard !known.own.contains(where: { $0.name == name }) else {
        throw OffersError(
          .invalidRequest, "\(file.text) already defines \(name).", hint: "Change it there.")
      }
      return try DefinitionEdit.adding(text, to: yaml, name: file.text)
    }.commit()
    Output.note("\(name) is now defined in \(DisplayText.oneLine(file.text)).")
  }
}
