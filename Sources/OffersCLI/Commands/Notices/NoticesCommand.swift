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
    commandName: "list", abstract: "Show what you were told, and what waits.",
    usage: "offers notices list [<options>]")

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
    if retry { return try await retry(database) }
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
    if let state {
      if deliveries.isEmpty { return Output.note("There is no such delivery.") }
      for delivery in deliveries {
        let channel = channels.first { $0.name == delivery.channel }
        let lines = DisplayText.hanging(
          "", delivery.line(over: channel), indent: 4, width: Terminal.width)
        for line in lines { try Output.print(.line(line)) }
      }
      return NoticeLines.noteCut(
        deliveries.count, of: try await database.countDeliveries(state),
        command: "offers notices --state \(state.rawValue) --limit")
    }
    let lostCount = try await database.countDeliveries(.lost)
    if lostCount > 0 {
      try Output.print(
        .line("\(Units.count(lostCount, "notice")) lost on the way: offers notices --state lost"))
    }
    if notices.isEmpty {
      return Output.note(
        "You were told nothing in the last 30 days. Say what you want: offers watch --help")
    }
    try Output.print(.text(NoticeLines.text(notices)))
    NoticeLines.noteCut(
      notices.count, of: try await database.countNotices(), command: "offers notices --limit")
  }

  /// Delivers what waits, and says what was delivered and what failed.
  private func retry(_ database: OffersDatabase) async throws {
    try await database.retryDeliveries()
    let delivery = try await NoticeServices.delivery(for: database)
    var delivered: [NoticeDelivery.Summary.Delivery] = []
    var failures: [NoticeDelivery.Summary.Failure] = []
    // A run delivers one message over each channel.
    while true {
      let summary = try await delivery.run()
      let own = summary.deliveries.filter { $0.user == database.user }
      delivered += own
      failures += summary.failures.filter { $0.user == database.user }
      if own.isEmpty { break }
    }
    let channels = try await database.fetchChannels()
    if json {
      try Output.print(
        .json([
          "delivered": delivered.map { message -> JSONObject in
            ["channel": message.channel, "notices": message.noticeCount]
          },
          "failed": failures.map(\.document), "channels": channels.map(\.document),
        ]))
    } else {
      for message in delivered {
        let count = Units.count(message.noticeCount, "notice")
        try Output.print(.line(DisplayText.oneLine("\(message.channel): delivered \(count)")))
      }
      for failure in failures { Output.note(.line(failure.line)) }
      let failed = Set(failures.map(\.channel))
      let waiting = channels.filter { $0.waitingCount > 0 && !failed.contains($0.name) }
      for channel in waiting { try Output.print(.line(channel.waitingLine(at: Date()))) }
      if delivered.isEmpty, failures.isEmpty, waiting.isEmpty { Output.note("Nothing waits.") }
    }
    if !failures.isEmpty { throw delivered.isEmpty ? ExitStatus.failed : ExitStatus.someFailed }
  }
}

/// The lines of notices, the newest first.
enum NoticeLines {
  static func text(_ notices: [Notice]) -> String {
    let width = Terminal.width
    let heads = notices.map { notice in
      [Units.time(notice.at), DisplayText.oneLine(notice.offer?.description ?? notice.feed)]
    }
    let idWidth = heads.reduce(2) { max($0, DisplayText.width($1[1])) }
    let titles = [
      "\(DisplayText.pad("WHEN", 16))  \(DisplayText.pad("ID", idWidth))  NAME AND WHAT HAPPENED"
    ]
    // The sentences are wrapped rather than cut, because amounts stand at their ends. On a narrow terminal they have
    // lines of their own.
    let isNarrow = width.map { $0 - idWidth - 20 < leastWidth } ?? false
    let lines = zip(heads, notices).flatMap { head, notice -> [String] in
      let text = DisplayText.oneLine(notice.described)
      if isNarrow {
        return ["\(head[0])  \(head[1])"] + DisplayText.hanging("    ", text, width: width)
      }
      let label = "\(head[0])  \(DisplayText.pad(head[1], idWidth))  "
      return DisplayText.hanging(label, text, width: width)
    }
    return ((isNarrow ? [] : titles) + lines).joined(separator: "\n")
  }

  /// The least width of the sentences beside the times and ids.
  private static let leastWidth = 30

  /// Says how many are not shown, if not all are.
  ///
  /// - Parameter command: the command that shows all, up to its number.
  static func noteCut(_ shown: Int, of count: Int, command: String) {
    if count > shown {
      Output.note(.line("\(Units.count(shown)) of \(Units.count(count)). All: \(command) \(count)"))
    }
  }
}

extension Notice {
  /// The sentence of the notice, with absolute times.
  var sentence: String { sentence(FilterTextParser(), at: nil) }

  /// The name of the offer or feed with the sentence of the notice, and its watch in parentheses if it has one.
  fileprivate var described: String {
    let watch = watchText.map { " (\($0))" } ?? ""
    return "\(name) \(sentence)\(watch)"
  }

  /// A line for the results of a sync: `Folgers is a new match: $3.00 (ibotta:1)`.
  var line: String {
    let sentence = sentence(FilterTextParser(), at: Date())
    return DisplayText.oneLine("\(name) \(sentence) (\(offer?.description ?? feed))")
  }

  var document: JSONObject {
    let kind =
      switch reason {
      case .watch: "watch"
      case .favorite: "favorite"
      case .ending: "ending"
      case .failing: "failing"
      case .recovered: "recovered"
      case .heldBack: "held_back"
      }
    return [
      "notice": id, "watch": watchID, "watch_name": watchName, "kind": kind, "at": at, "feed": feed,
      "ref": offer?.description, "name": name, "sentence": sentence, "urgent": isUrgent,
    ]
  }
}

extension Delivery {
  /// A line about the delivery. Of a lost one, it ends with why the channel's last attempt failed, if it did.
  fileprivate func line(over channel: UserChannel?) -> String {
    let reason = state == .lost ? channel?.lastError.map { ". \($0)" } ?? "" : ""
    return DisplayText.oneLine(
      "\(Units.time(notice.at))  \(state.rawValue) \(self.channel): \(notice.described)\(reason)")
  }

  fileprivate var document: JSONObject {
    [
      "notice": notice.id, "channel": channel, "state": state.rawValue, "message": messageID,
      "ended_at": endedAt,
    ]
  }
}
