import ArgumentParser
import OffersCore

/// `offers manual`, with which the installation makes the manual page.
struct ManualCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Print the manual page, for man.",
    shouldDisplay: false)

  func run() async throws {
    var page = try ManualPage(description: Offers._dumpHelp(), version: Version.current)
    try Output.printData(page.text(), terminator: "")
  }
}
