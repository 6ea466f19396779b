import ArgumentParser
import Foundation
import OffersCore

/// `offers household add`
struct HouseholdAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Share offers with all users, and star them.",
    usage: "offers household add <id> ... [<options>]",
    discussion: """
      Sharing twice is no error. If one of several offers is unknown, none is shared.

      EXAMPLES
        offers household add 900117 900116
        offers household add ibotta:900117 --user ben
      """)

  @Argument(
    help: "The offers: 900117, or ibotta:900117 when several feeds have that id.")
  var id: [String]

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: UserRecordOptions

  func run() async throws {
    let changes = try await location.openExisting().share(named: id, at: Date())
    try SharingChange.print(changes, asJSON: json, mark: "+", unchanged: "was shared already")
  }
}

extension SharingChange {
  /// Prints the results of a command that shares offers, or takes them off the list.
  ///
  /// - Parameters:
  ///   - changes: a result for each offer.
  ///   - asJSON: whether to print one document, `{"offers":[{"ref","changed","shared_by"}]}`.
  ///   - mark: the sign before each offer.
  ///   - unchanged: the words behind an offer whose sharing was so before.
  static func print(
    _ changes: [SharingChange], asJSON: Bool, mark: String, unchanged: String
  ) throws {
    if asJSON {
      return try Output.printData(
        JSONWriter.document { json in
          json.member("offers", objects: changes) { json, change in
            json.member("ref", change.offer.id.description)
            json.member("changed", change.didChange)
            json.member(sharersOf: change.offer)
          }
        })
    }
    for change in changes {
      let offer = change.offer.offer
      let text = DisplayText.oneLine("\(offer.ref)  \(offer.name)")
      let gone = offer.state == .gone ? " (gone from its feed)" : ""
      try Output.print("\(mark) \(text)\(gone)\(change.didChange ? "" : " (\(unchanged))")")
    }
  }
}
