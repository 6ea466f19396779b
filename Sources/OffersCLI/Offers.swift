import ArgumentParser
import OffersCore

/// The program `offers`.
@main
struct Offers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offers",
    abstract: "Keeps cash-back offers on your own machine: synced, starred, readable offline.",
    discussion: """
      EXAMPLES
        offers sync                        read the feeds you are subscribed to
        offers list --favorites            see what you starred
        offers show 110579                 read one offer
        offers favorite 110579             star it

      EXIT CODES
        0 done, 1 failed, 3 some feeds failed, 11 another sync holds the lock,
        64 wrong usage, 66 no such offer, feed or input
      """,
    version: Version.current,
    subcommands: [
      SyncCommand.self, ListCommand.self, ShowCommand.self, FavoriteCommand.self,
      StatusCommand.self,
    ])

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as OffersError {
      Output.error(error)
      Self.exit(withError: ExitStatus.code(for: error))
    } catch {
      Self.exit(withError: error)
    }
  }
}
