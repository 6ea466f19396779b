import ArgumentParser
import Foundation
import OffersCore
import OffersServer
import OffersStore

/// The options that say of what a document for feed readers tells.
struct FeedSubjectOptions: ParsableArguments {
  @Option(help: .value("number", "What a watch tells, instead of all your news."))
  var watch: Watch.ID?

  @Option(help: .value("name", "The changes of a feed, instead of your news."))
  var feed: String?

  var subject: FeedAddress.Subject {
    watch.map { .watch($0) } ?? feed.map { .feed($0) } ?? .news
  }

  func validate() throws {
    if watch != nil, feed != nil {
      throw ValidationError("--watch and --feed exclude each other.")
    }
  }
}

struct NoticesPublishCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Make addresses for a feed reader and a calendar, and print them once.",
    usage: "offers notices publish [--watch <number>] [--feed <name>] [--base <url>]",
    discussion: """
      "offers serve" answers at these addresses without a login: changes.atom and changes.json for feed readers, and \
      expiries.ics for calendars. They have a secret, of which only the SHA-256 is stored. It opens nothing else, and \
      whoever has it can read your news until you revoke it.

      EXAMPLES
        offers notices publish
        offers notices publish --watch 3 --base https://offers.example.org
        offers notices publish --feed ibotta --base https://example.org/offers
      """)

  @OptionGroup var subject: FeedSubjectOptions

  /// The variable with the address of the server, to which messages link, too.
  static let variable = "OFFERS_PAGES"

  @Option(
    help: .value(
      "url",
      "The address of your server, with the path below which it is served (default: $\(variable), else http://127.0.0.1:8080)."
    ))
  var base: String?

  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  var logEntry: LogEntry? {
    LogEntry("addresses published", ["subject": subject.subject.description])
  }

  func run() async throws {
    let base = base ?? ProcessContext.variable(Self.variable) ?? "http://127.0.0.1:8080"
    guard let url = WebLink(base), !base.contains("?"), !base.contains("#") else {
      throw OffersError(
        .invalidRequest, "“\(SafeText.line(base, characters: 80))” is no address of a server.",
        hint: "Write it as in this example: --base https://offers.example.org")
    }
    let database = try await location.openExisting()
    let secret = try APITokenText.randomText()
    let address = try await database.addFeedAddress(
      of: subject.subject, hash: APITokenText.hash(of: secret))
    let server = url.text.last == "/" ? String(url.text.dropLast()) : url.text
    let urls = NoticeFeed.Format.allCases.map { ($0, server + FeedAddress.path(secret, $0)) }
    if json {
      let named = JSONObject(members: { json in
        for (format, url) in urls { json.member(format.rawValue, url) }
      })
      return try Output.print(.json(address.document + ["urls": named]))
    }
    for (_, url) in urls { try Output.print(.line(url)) }
    Output.note(
      "Whoever has them can read your news. To end that: offers notices revoke \(address.id)")
  }
}

struct NoticesAddressesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "addresses", abstract: "List the addresses that you have published.",
    usage: "offers notices addresses [<options>]")

  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let database = try await location.open(.readOnly)
    let addresses = try await database.fetchFeedAddresses()
    if json { return try Output.print(.json(["addresses": addresses.map(\.document)])) }
    if addresses.isEmpty {
      return Output.note("There are no addresses. Make some: offers notices publish")
    }
    let now = Date()
    let columns: [Table.Column] = [
      .whole("NUMBER"), .text("SUBJECT"), .whole("ADDED"), .whole("LAST READ"),
    ]
    try Output.print(
      .text(
        Table.text(columns, addresses) { address in
          [
            String(address.id), DisplayText.oneLine(address.subject.description),
            Units.age(of: address.createdAt, at: now),
            address.lastUsedAt.map { Units.age(of: $0, at: now) } ?? "never",
          ]
        }))
  }
}

struct NoticesRevokeCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Let addresses that you have published answer no more.",
    usage: "offers notices revoke <number> [<options>]")

  @Argument(help: "The number, as in the list.") var number: FeedAddress.ID
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  var logEntry: LogEntry? { LogEntry("addresses revoked", ["address": String(number)]) }

  func run() async throws {
    try await location.openExisting().removeFeedAddress(number)
    try Output.print(json ? .json(["revoked": number]) : .line("\(number): revoked"))
  }
}

extension FeedAddress {
  fileprivate var document: JSONObject {
    [
      "address": id, "subject": subject.description, "created_at": createdAt,
      "last_used_at": lastUsedAt,
    ]
  }
}
