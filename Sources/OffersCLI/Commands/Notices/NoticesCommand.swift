import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersStore
import OffersSync

struct NoticesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notices",
    abstract: "Show what you were told, and what waits.",
    discussion: """
      Notices are kept for 30 days. A delivery that fails is tried again for 7 days, with growing waits. A channel \
      that is gone for good is paused: set it up again, or let the next run try it with --retry.

      "offers serve" also shows them to feed readers and calendars, at addresses that you publish and revoke.

      EXAMPLES
        offers notices
        offers notices --state waiting
        offers notices --retry
        offers notices --format ics > ends.ics
        offers notices publish --base https://offers.example.org
      """,
    subcommands: [
      NoticesListCommand.self, NoticesPublishCommand.self, NoticesAddressesCommand.self,
      NoticesRevokeCommand.self,
    ],
    defaultSubcommand: NoticesListCommand.self)
}

struct NoticesListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show what you were told, and what waits.")

  @Option(
    help: .value("state", "Only deliveries of this state: waiting, delivered or lost."),
    completion: .list(Delivery.State.allCases.map(\.rawValue)))
  var state: String?

  @Option(help: .value("count", "The most notices.")) var limit = 20

  @Option(
    help: .value(
      "format",
      "Print a document for a feed reader (atom, jsonfeed), or the ends of offers for a calendar (ics)."
    ),
    completion: .list(NoticeFeed.Format.allCases.map(\.rawValue)))
  var format: String?

  @OptionGroup var subject: FeedSubjectOptions
  @Flag(help: "Try all that waits now, also over channels that are paused.") var retry = false
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit is at least 1.") }
    if format != nil, json || state != nil || retry {
      throw ValidationError("--format excludes --json, --state and --retry.")
    }
    if format == nil, subject.subject != .news {
      throw ValidationError("--watch and --feed require --format.")
    }
  }

  func run() async throws {
    let state: Delivery.State? = try state.map {
      try NamedChoice.find($0, what: "state", title: "States")
    }
    let database = try await location.open(retry ? .readWrite : .readOnly)
    if let format {
      let format: NoticeFeed.Format = try NamedChoice.find(
        format, what: "format", title: "Formats")
      let document = try await database.fetchNoticeFeed(
        format, of: subject.subject, limit: limit, FilterTextParser())
      return try Output.printData(document, terminator: "")
    }
    if retry {
      try await database.retryDeliveries()
      let summary = try await NoticeServices.delivery(for: database).run()
      for failure in summary.failures where failure.user == database.user {
        Output.note(.line(failure.line))
      }
    }
    let channels = try await database.fetchChannels()
    let deliveries = try await database.fetchDeliveries(state, limit: limit)
    let notices = state == nil ? try await database.fetchNotices(limit: limit) : []
    if json {
      return try Output.print(
        .json([
          "notices": notices.map(\.document),
          "deliveries": deliveries.map(\.document),
          "channels": channels.map(\.document),
        ]))
    }
    for channel in channels where channel.waitingCount > 0 || channel.endedReason != nil {
      try Output.print(.line(channel.waitingLine(at: Date())))
    }
    if state != nil {
      if deliveries.isEmpty { return Output.note("There is no such delivery.") }
      for delivery in deliveries { try Output.print(.line(delivery.line)) }
      return
    }
    if notices.isEmpty {
      return Output.note(
        "You were told nothing in the last 30 days. Say what you want: offers watch --help")
    }
    try Output.print(.text(NoticeLines.text(notices)))
  }
}

/// The lines of notices, the newest first.
enum NoticeLines {
  static func text(_ notices: [Notice]) -> String {
    let columns: [Table.Column] = [.whole("WHEN"), .whole("ID"), .text("NAME AND WHAT HAPPENED")]
    return Table.text(columns, notices) { notice in
      [
        Units.time(notice.at), DisplayText.oneLine(notice.offer?.description ?? notice.feed),
        DisplayText.oneLine("\(notice.name) \(notice.sentence)"),
      ]
    }
  }
}

extension Notice {
  /// What happened, in plain words.
  var sentence: String { sentence(FilterTextParser(), at: Date()) }

  /// A line for the results of a sync: `Folgers is a new match: $3.00 (ibotta:1)`.
  var line: String {
    DisplayText.oneLine("\(name) \(sentence) (\(offer?.description ?? feed))")
  }

  var document: JSONObject {
    let kind =
      switch reason {
      case .watch: "watch"
      case .favorite: "favorite"
      case .ending: "ending"
      case .failing: "failing"
      case .recovered: "recovered"
      }
    return [
      "notice": id, "watch": watchID, "kind": kind, "at": at, "feed": feed,
      "ref": offer?.description, "name": name, "sentence": sentence, "urgent": isUrgent,
    ]
  }
}

extension Delivery {
  fileprivate var line: String {
    DisplayText.oneLine("\(state.rawValue) \(channel): \(notice.name) \(notice.sentence)")
  }

  fileprivate var document: JSONObject {
    [
      "notice": notice.id, "channel": channel, "state": state.rawValue, "message": messageID,
      "ended_at": endedAt,
    ]
  }
}
