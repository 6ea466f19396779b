import ArgumentParser
import OffersCore
import OffersFeeds
import OffersStore

/// `offers feeds remove`
struct FeedsRemoveCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Give a feed up. Its offers and favorites stay.",
    discussion: """
      It is no longer synced, and a definition of your own leaves your file. To take a shipped feed
      up again, sync it by its name.
      """)

  @Argument(help: "The feed.")
  var name: String

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let file = try configuration.path
    let known = try file.load()
    let path = try location.path
    var did: [String] = []
    if OffersDatabase.exists(at: path),
      try await OffersDatabase(path: path).unsubscribe(from: name)
    {
      did.append("no longer synced")
    }
    if let yaml = try file.read(),
      let rest = try DefinitionEdit.removing(name, from: yaml, name: file.text)
    {
      try TextFile.write(rest, to: file.text)
      did.append("its definition is gone from \(DisplayText.oneLine(file.text))")
    }
    if did.isEmpty {
      _ = try known.fetch(name)
      Output.print("\(name): was not subscribed")
    } else {
      Output.print("\(name): \(did.joined(separator: "; ")). Its offers and favorites stay.")
    }
  }
}
