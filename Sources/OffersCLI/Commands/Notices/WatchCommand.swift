import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform
import OffersStore

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Say which offers you want to be told of.",
    discussion: """
      A watch has a selection, as "offers search" takes it, and a rule, which says when you are told of one of \
      these offers. Each sync looks at them; what you are told goes over your channels: see offers channel. A \
      favorite needs no watch: its changes are always told.

      RULES
        match             an offer is new, or begins to match
        at-least $2       its reward or price reaches a bound
        at-most 20 EUR    it falls to a bound
        up, up 10%        it rises, or rises by so much
        down, down 0.50   it falls, or falls by so much
        best, best 30d    it is better than ever, or than in the last days
        near-best 5% 90d  it is within a part of the best
        ending 48h        it ends soon
        back              it was gone, and is in its feed again

      EXAMPLES
        offers watch add coffee 'reward:>=2'
        offers watch add coffee --rule 'at-least $2' --repeat daily
        offers watch add is:favorite --rule 'ending 6h' --urgent
        offers watch
        offers watch remove 1
      """,
    subcommands: [
      WatchListCommand.self, WatchAddCommand.self, WatchShowCommand.self, WatchEditCommand.self,
      WatchTestCommand.self, WatchPauseCommand.self, WatchResumeCommand.self,
      WatchRemoveCommand.self,
    ],
    defaultSubcommand: WatchListCommand.self)

  fileprivate static let reader = FilterTextParser()
}

struct WatchListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your watches.")

  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let database = try await location.open(.readOnly)
    let watches = try await database.fetchWatches(WatchCommand.reader)
    if json {
      return try Output.print(.json(["watches": watches.map(\.document)]))
    }
    if watches.isEmpty {
      return Output.note("You have no watch. Add one: offers watch add coffee 'reward:>=2'")
    }
    let hasNames = watches.contains { $0.name != nil }
    let columns: [Table.Column?] = [
      .whole("NUMBER"), .whole("RULE"), .whole("REPEAT"), .whole("STATE"),
      hasNames ? .text("NAME") : nil, .whole("SELECTION"),
    ]
    let table = Table.text(columns.compactMap(\.self), watches) { watch in
      [
        String(watch.id), watch.rule.text, watch.repeats.rawValue, watch.stateText,
        hasNames ? DisplayText.oneLine(watch.name ?? "") : nil,
        DisplayText.oneLine(watch.selectionText),
      ].compactMap(\.self)
    }
    try Output.print(.text(table))
  }
}

extension Watch {
  fileprivate var stateText: String { pausedAt != nil ? "paused" : isUrgent ? "urgent" : "on" }

  fileprivate var document: JSONObject {
    [
      "watch": id, "name": name, "selection": selection, "rule": rule.text,
      "repeat": repeats.rawValue, "urgent": isUrgent, "created_at": createdAt,
      "paused_at": pausedAt,
    ]
  }

  /// A line such as `watch 1: coffee reward:>=2, match`.
  fileprivate var line: String {
    let name = name.map { "\($0): " } ?? ""
    let marks = (isUrgent ? ", urgent" : "") + (pausedAt != nil ? ", paused" : "")
    let repeats = repeats == .onEntry ? "" : ", repeat \(repeats.rawValue)"
    return DisplayText.oneLine(
      "watch \(id): \(name)\(selectionText), \(rule.text)\(repeats)\(marks)")
  }
}

/// The options of a watch besides its selection.
struct WatchOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: .value(
      "rule", "When you are told: match, 'at-least $2', 'up 10%', best, 'ending 48h', ...")
  )
  var rule: String?

  @Option(
    name: .customLong("repeat"),
    help: .value(
      "how",
      "How often you are told of the same offer: default (again only after it was away for a day), never, daily, or each (time)."
    ),
    completion: .list(Watch.Repeat.allCases.map(\.rawValue)))
  var repeats: String?

  @Flag(inversion: .prefixedNo, help: "Break through the quiet hours of a channel.")
  var urgent: Bool?

  @Option(help: .value("name", "A name for the watch.")) var name: String?

  /// The watch of a selection with these options.
  fileprivate func draft(of selection: SelectionText) throws -> WatchDraft {
    if selection.sort != nil { Output.note("A watch has no order: leave sort: out.") }
    return try WatchDraft(
      name: name, selection: selection.description, rule: rule, repeats: repeats,
      isUrgent: urgent ?? false, WatchCommand.reader)
  }
}

struct WatchAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Watch the offers of a selection.",
    usage: "offers watch add <words> ... [<options>]",
    discussion: """
      The words and options are those of "offers search". Offers that match now are shown, and count as told.

      EXAMPLES
        offers watch add coffee 'reward:>=2'
        offers watch add --feed ibotta --rule 'up 10%'
      """)

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var watch: WatchOptions
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let draft = try watch.draft(of: selection.text)
    let database = try await location.open(.readWrite)
    let preview = try await WatchPreviewReport(draft, database, try configuration.path)
    let added = try await database.putWatch(draft, WatchCommand.reader)
    if json {
      return try Output.print(.json(added.document + preview.document))
    }
    try Output.print(.line(added.line))
    try preview.print()
    if preview.isEmpty {
      try await EmptyListNote.tellMistake(
        in: draft.selection, database, try configuration.path)
    }
    if try await database.fetchChannels().isEmpty {
      Output.note("Add a channel, so that you are told: offers channel --help")
    }
  }
}

/// The offers that a watch matches now, and its notices by the stored history.
private struct WatchPreviewReport {
  private let count: Int
  private let first: [UserOffer]
  private let preview: WatchPreview

  init(
    _ draft: WatchDraft, _ database: OffersDatabase,
    _ configuration: @autoclosure () throws -> SettingPath = try ConfigurationOptions.path(
      named: nil)
  ) async throws {
    (count, first, preview) = try await UnsyncedFeed.explaining(
      draft.selection.texts(of: .feed).first, try configuration(), in: database
    ) { try await database.previewWatch(draft, WatchCommand.reader) }
  }

  /// Whether the watch selects no offer.
  var isEmpty: Bool { count == 0 }

  var lines: [String] {
    preview.lines(selecting: count, first: first.map(\.name)).map { DisplayText.oneLine($0) }
  }

  /// Prints the lines below that of the watch.
  func print() throws {
    for line in lines.flatMap({ DisplayText.hanging("  ", $0, width: Terminal.width) }) {
      try Output.print(.line(line))
    }
  }

  var document: JSONObject {
    [
      "selects": count, "would_have_told": preview.count, "history_since": preview.since,
      "first": first.map(\.ref.description),
    ]
  }
}

/// The argument that names a watch.
struct WatchNumber: ParsableArguments {
  @Argument(help: "The number of the watch: see offers watch list.") var number: Int64

  fileprivate func setPaused(
    _ isPaused: Bool, _ location: UserDatabaseOptions, asJSON json: Bool
  ) async throws {
    try await location.openExisting().setWatch(number, isPaused: isPaused, WatchCommand.reader)
      .print(asJSON: json)
  }
}

struct WatchShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a watch, what it selects now, and what it told.",
    usage: "offers watch show <number> [<options>]")

  @OptionGroup var watch: WatchNumber
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let database = try await location.open(.readOnly)
    let found = try await database.fetchWatch(watch.number, WatchCommand.reader)
    let draft = try WatchDraft(found, WatchCommand.reader)
    let preview = try await WatchPreviewReport(draft, database)
    let notices = try await database.fetchNotices(of: found.id, limit: 20)
    if json {
      return try Output.print(
        .json(found.document + preview.document + ["notices": notices.map(\.document)]))
    }
    try Output.print(.line(found.line))
    try preview.print()
    if notices.isEmpty { return try Output.print("  It has told nothing yet.") }
    try Output.print(.text(NoticeLines.text(notices)))
    let count = try await database.countNotices(of: found.id)
    NoticeLines.noteCut(notices.count, of: count, command: "offers notices --limit")
  }
}

struct WatchEditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a watch.",
    usage: "offers watch edit <number> [<options>]",
    discussion: """
      What no option names stays. With another selection, rule or repetition the watch begins anew: the offers for \
      which the rule holds now count as told.

      EXAMPLES
        offers watch edit 1 --rule 'at-least $3'
        offers watch edit 1 --selection 'coffee OR tea reward:>=2'
      """)

  @OptionGroup var watch: WatchNumber

  @Option(
    parsing: .unconditional,
    help: .value("selection", "The new selection, as offers search takes it."))
  var selection: String?

  @OptionGroup var options: WatchOptions
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let reader = WatchCommand.reader
    let database = try await location.openExisting()
    let old = try await database.fetchWatch(watch.number, reader)
    let draft = try WatchDraft(
      name: options.name ?? old.name, selection: selection ?? old.selection,
      rule: options.rule ?? old.rule.text, repeats: options.repeats ?? old.repeats.rawValue,
      isUrgent: options.urgent ?? old.isUrgent, reader)
    let changed = try await database.putWatch(draft, id: old.id, reader)
    try changed.print(asJSON: json)
  }
}

extension Watch {
  fileprivate func print(asJSON: Bool) throws {
    try Output.print(asJSON ? .json(document) : .line(line))
  }
}

struct WatchTestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Say what a watch would select and would have told, without adding it.",
    usage: "offers watch test <words> ... [<options>]")

  @OptionGroup var selection: SelectionOptions
  @OptionGroup var watch: WatchOptions
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let draft = try watch.draft(of: selection.text)
    let preview = try await WatchPreviewReport(draft, try await location.open(.readOnly))
    if json { return try Output.print(.json(preview.document)) }
    for line in preview.lines { try Output.print(.line(line)) }
  }
}

struct WatchPauseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Let a watch tell nothing until it is resumed.",
    usage: "offers watch pause <number> [<options>]")

  @OptionGroup var watch: WatchNumber
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    try await watch.setPaused(true, location, asJSON: json)
  }
}

struct WatchResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Let a paused watch begin anew.",
    usage: "offers watch resume <number> [<options>]")

  @OptionGroup var watch: WatchNumber
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    try await watch.setPaused(false, location, asJSON: json)
  }
}

struct WatchRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a watch. What it told stays in offers notices.",
    usage: "offers watch remove <number> [<options>]")

  @OptionGroup var watch: WatchNumber
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let database = try await location.openExisting()
    let removed = try await database.fetchWatch(watch.number, WatchCommand.reader)
    try await database.removeWatch(removed.id)
    if json { return try Output.print(.json(removed.document)) }
    try Output.print("watch \(removed.id): removed")
  }
}
