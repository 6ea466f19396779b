import ArgumentParser
import OffersCore
import OffersFeeds

/// `offers feeds show`
struct FeedsShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a feed's definition as YAML.",
    discussion: """
      Says on standard error where the definition is from: your file, the database, or the program. \
      Of several with one name, the first of these counts.

      EXAMPLES
        offers feeds show albums
      """)

  @Argument(help: "The feed.", completion: .feeds)
  var name: String

  @Flag(name: .long, help: .hidden)
  var save = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if save {
      throw ValidationError(
        "--save is gone, since your file is never written. To change a definition: "
          + "offers feeds edit NAME")
    }
  }

  func run() async throws {
    let file = try configuration.path
    let known = try await file.load(from: location.openIfThere(.readOnly))
    let yaml = try known.fetchText(name)
    let origin = known.findOrigin(of: name)
    if json {
      return try Output.printData(
        JSONWriter.document { json in
          json.member("name", name)
          json.member("definition", yaml)
          json.member("defined_in", origin?.rawValue)
        })
    }
    try Output.printData(yaml, terminator: "")
    Output.note(.line("\(name): \(DefinitionOrigin.words(for: origin, file))"))
    if let note = DefinitionOrigin.conflict(of: name, known, file) { Output.note(.line(note)) }
  }
}

/// The texts about the places of definitions.
enum DefinitionOrigin {
  /// - Parameter origin: nil for a text in the database that is invalid.
  static func words(for origin: FeedConfiguration.Origin?, _ file: SettingPath) -> String {
    switch origin {
    case .file: "defined in \(file.text)"
    case .database: "defined in the database"
    case .shipped: "ships with the program"
    case nil: "defined in the database, but invalid. Correct it: offers feeds edit NAME"
    }
  }

  /// A sentence about a feed with two definitions; nil for any other.
  static func conflict(
    of name: String, _ known: FeedConfiguration, _ file: SettingPath
  ) -> String? {
    guard known.isStoredInVain(name) else { return nil }
    return "\(name) is defined in \(file.text) and in the database; the file's definition counts"
  }
}
