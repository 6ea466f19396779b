import ArgumentParser
import ChildProcesses
import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersPlatform
import OffersServer
import OffersStore
import OffersSync

struct ChannelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channel",
    abstract: "Say how you are told: a program, mail, ntfy, ...",
    discussion: """
      Each sync delivers what your watches and favorites have to tell over all of your channels: one message a \
      channel and sync. What cannot be delivered is tried again for 7 days.

      KINDS
      \(ChannelKind.ofPeople.map { "  \($0.name) \($0.example)" }.joined(separator: "\n"))

      A browser is told by Web Push once you allow it on the page of offers serve: Settings, This browser.

      Secrets that you write are moved into a file that only you can read, and are never shown. You can also write \
      {env:NAME} for a variable.

      EXAMPLES
        offers channel add command ~/bin/tell
        offers channel add ntfy https://ntfy.sh/my-secret-topic --quiet '22:00-7:00'
        offers channel add email me@example.org --option user=me \\
          --option password=... --option server=smtps://smtp.example.org
        offers channel test
      """,
    subcommands: [
      ChannelListCommand.self, ChannelAddCommand.self, ChannelTestCommand.self,
      ChannelEditCommand.self, ChannelRemoveCommand.self,
    ],
    defaultSubcommand: ChannelListCommand.self)
}

extension ChannelKind {
  /// The kinds that people can add.
  static var ofPeople: [ChannelKind] { all.filter { !$0.isSubscription } }
}

/// The programs, mail client and keys with which this program delivers notices.
enum NoticeServices {
  /// The file with the secrets of channels.
  static func secrets() throws -> ChannelSecrets {
    let path = try SettingPath.find(
      option: (nil, ""), variable: "OFFERS_SECRETS",
      folder: ("XDG_CONFIG_HOME", ".config"), file: "offers/channels.env", what: "the secrets")
    guard let path else {
      throw OffersError(
        .invalidRequest, "There is no home folder to keep the secrets in.",
        hint: "Name a file by OFFERS_SECRETS.")
    }
    return ChannelSecrets(path: path.text)
  }

  static func tools(for database: OffersDatabase) async throws -> ChannelTools {
    // The server makes the key for the first browser that subscribes.
    let key = try await database.findServerKey(for: OffersDatabase.pushKeyPurpose)
    // libcrypto is loaded for a message only.
    var sealPush: ChannelTools.PushSealer?
    if let key { sealPush = { try PushSealer(key: key).seal($0) } }
    return ChannelTools(
      transport: HTTPConnections(environment: ProcessContext.findVariable),
      // A file that cannot be read stops only the channels that need a secret; doctor says what is wrong with it.
      environment: (try? secrets().lookUp(orIn: ProcessContext.findVariable))
        ?? ProcessContext.findVariable,
      run: { await NoticeProgram.run($0, input: $1) },
      sendMail: { await MailClient.send($0, environment: ProcessContext.findVariable) },
      authenticate: { try HMACKey($0).code(of: $1) },
      sealPush: sealPush)
  }

  static func delivery(
    for database: OffersDatabase, now: @escaping @Sendable () -> Date = { Date() }
  ) async throws -> NoticeDelivery {
    NoticeDelivery(
      database, try await tools(for: database), FilterTextParser(),
      pages: ProcessContext.variable(NoticesPublishCommand.variable).flatMap { WebLink($0) }
        .flatMap { URL(string: $0.text) },
      now: now)
  }

  /// Adds secrets under new names to their file, so that the values of a channel are checked with them. If that fails,
  /// they are removed again.
  static func withSecrets<Value>(
    _ secrets: [String: String], _ body: () async throws -> Value
  ) async throws -> Value {
    if secrets.isEmpty { return try await body() }
    try self.secrets().update { $0.merge(secrets) { $1 } }
    do {
      return try await body()
    } catch {
      try removeSecrets(Set(secrets.keys))
      throw error
    }
  }

  /// Removes the secrets with these names from their file.
  static func removeSecrets(_ names: Set<String>) throws {
    // Without secrets, no folder is needed for their file.
    if names.isEmpty { return }
    try secrets().update { entries in entries = entries.filter { !names.contains($0.key) } }
  }
}

extension UserChannel {
  /// The variables of its own secrets.
  var ownVariables: Set<String> { (try? ChannelSettings(json: settings))?.ownVariables ?? [] }

  var document: JSONObject {
    let settings = try? ChannelSettings(json: settings)
    return [
      "channel": name, "kind": settings?.kind, "words": settings?.shownWords,
      "default": isDefault, "quiet": quietHours?.description, "created_at": createdAt,
      "waiting": waitingCount, "paused_because": endedReason, "failures": failureCount,
      "failing_since": failingSince, "next_attempt_at": nextAttemptAt, "last_error": lastError,
      "delivered_at": deliveredAt,
    ]
  }

  /// How to deliver over the channel again after it has ended.
  ///
  /// - Parameter options: the options of the command, such as ` --user ben`.
  func remedy(_ options: String = "") -> Hint {
    let name = ShellQuoting.word(name)
    let kind = (try? ChannelSettings(json: settings))?.kind
    if ChannelKind.all.contains(where: { $0.name == kind && $0.isSubscription }) {
      return Hint(
        "Allow notices in that browser again, or remove the channel.",
        command: "offers channel remove \(name)\(options)")
    }
    return Hint("Set it up again.", command: "offers channel edit \(name)\(options)")
  }

  /// A line about what waits.
  func waitingLine(at now: Date) -> String {
    let waiting = "\(Units.count(waitingCount, "notice")) waiting"
    if let endedReason {
      return DisplayText.oneLine(
        "\(name) is paused, \(waiting): \(endedReason) \(remedy().printed)")
    }
    let error = lastError.map { ": \($0)" } ?? ""
    if let end = quietHours?.end(ofThoseAt: now), nextAttemptAt.map({ $0 <= end }) ?? true {
      return DisplayText.oneLine("\(name): \(waiting) until \(Units.time(end)): quiet hours")
    }
    let next = nextAttemptAt.map { ", next attempt at \(Units.time($0))" }
    let sync = lastError == nil ? " for the next sync" : ""
    return DisplayText.oneLine("\(name): \(waiting)\(next ?? sync)\(error)")
  }
}

extension NoticeDelivery.Summary.Failure {
  /// A line for people.
  var line: String {
    let end = isEnd ? " Nothing more is delivered over it until you set it up again." : ""
    let lost =
      lostCount > 0
      ? " \(Units.count(lostCount, "notice")) of it will not be tried again: offers notices --state lost"
      : ""
    return DisplayText.oneLine("offers: The channel \(channel) failed: \(reason)\(end)\(lost)")
  }

  /// Whether it is told even where only news are: nobody would learn of it otherwise.
  var isFinal: Bool { isEnd || lostCount > 0 }

  var document: JSONObject {
    ["channel": channel, "reason": reason, "paused": isEnd, "lost": lostCount]
  }
}

struct ChannelListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your channels.")

  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let channels = try await location.open(.readOnly).fetchChannels()
    if json {
      return try Output.print(.json(["channels": channels.map(\.document)]))
    }
    if channels.isEmpty {
      return Output.note("You have no channel. Add one: offers channel add command PROGRAM")
    }
    let now = Date()
    let columns: [Table.Column] = [
      .whole("NAME"), .whole("STATE"), .whole("WAITING"), .whole("QUIET"), .text("TO"),
    ]
    let table = Table.text(columns, channels) { channel in
      let settings = try? ChannelSettings(json: channel.settings)
      let parts = [settings?.kind].compactMap(\.self) + (settings?.shownWords ?? [])
      let to = parts.joined(separator: " ")
      return [
        DisplayText.oneLine(channel.name + (channel.isDefault ? " *" : "")),
        channel.stateText(at: now), String(channel.waitingCount),
        channel.quietHours?.description ?? "–", DisplayText.oneLine(to),
      ]
    }
    try Output.print(.text(table))
  }
}

/// The settings of a channel.
struct ChannelSettingOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: .value("name=value", "An option of the kind. May be repeated."))
  var option: [String] = []

  @Option(
    parsing: .unconditional,
    help: .value(
      "hours", "Deliver only urgent notices in these hours: '22:00-7:00', or none."))
  var quiet: String?

  @Flag(help: "Allow servers in private networks and on this machine.")
  var allowPrivateNetwork = false

  /// The options by their names.
  ///
  /// A value `-` is the next line of standard input, which no list of processes shows.
  func values() throws -> [String: String] {
    var values: [String: String] = [:]
    for text in option {
      guard let mark = text.firstIndex(of: "=") else {
        throw OffersError(
          .invalidRequest, "“\(text)” is no option of a channel.", hint: "Write NAME=VALUE.")
      }
      let value = String(text[text.index(after: mark)...])
      values[String(text[..<mark])] = value == "-" ? ProcessContext.readLine() ?? "" : value
    }
    return values
  }

  /// The quiet hours; nil if they are not named, and `.some(nil)` for none.
  func quietHours() throws -> QuietHours?? {
    guard let quiet else { return nil }
    return quiet == "none" ? .some(nil) : try QuietHours(parsing: quiet)
  }
}

struct ChannelAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a channel.",
    usage: "offers channel add <kind> <words> ... [<options>]",
    discussion: """
      A command gets each message as a JSON document on its standard input, and is never run by a shell. Exit code 0 \
      says that it was delivered.

      EXAMPLES
        offers channel add command ~/bin/tell
        offers channel add command -- ~/bin/tell --loudly
        offers channel add ntfy https://ntfy.sh/my-secret-topic
        offers channel add gotify https://push.example.org --option token=...
        offers channel add telegram CHAT --option token=...
        offers channel add webhook https://example.org/hook --option secret=whsec_...
      """)

  @Argument(
    help: "The kind: see offers channel --help.",
    completion: .list(ChannelKind.ofPeople.map(\.name)))
  var kind: String

  @Argument(help: "The address, or the program and its arguments.") var words: [String] = []
  @Option(help: .value("name", "A name for the channel (default: its kind).")) var name: String?
  @OptionGroup var settings: ChannelSettingOptions
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    if try ChannelKind.named(kind).isSubscription {
      throw OffersError(
        .invalidRequest, "A channel of the kind \(kind) is added by a browser itself.",
        hint: "Open the page of offers serve in it, and there Settings, This browser.")
    }
    let name = name ?? kind
    let quietHours = try settings.quietHours() ?? nil
    let options = try settings.values()
    let words = try kind == "command" ? ChannelProgram.words(words) : words
    let typed = try ChannelSettings(
      kind: kind, words: words, options: options,
      allowsPrivateNetwork: settings.allowPrivateNetwork)
    let database = try await location.open(.readWrite)
    let taken = try await database.fetchChannels().first {
      User.folded($0.name) == User.folded(name)
    }
    if let taken {
      throw OffersError(
        .invalidRequest, "There is a channel “\(taken.name)” already.",
        hint: Hint("Choose another name.", command: "--name NAME"))
    }
    let (stored, secrets) = try typed.separatingSecrets(of: Self.secretName(of: name))
    let channel = try await NoticeServices.withSecrets(secrets) {
      _ = try stored.makeChannel(try await NoticeServices.tools(for: database))
      return try await database.addChannel(
        named: name, settings: stored.json, quietHours: quietHours)
    }
    if json { return try Output.print(.json(channel.document)) }
    try Output.print(.line("\(DisplayText.oneLine(channel.name)): added"))
    Output.note("Try it: offers channel test \(ShellQuoting.word(channel.name))")
  }
}

extension ChannelAddCommand {
  /// The name of a channel for the variables of its secrets. A random part keeps them apart from those of other users
  /// and databases, whose secrets are in the same file.
  static func secretName(of channel: String) -> String {
    "\(channel)-\(String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16))"
  }
}

/// The program of a channel of the kind `command`.
private enum ChannelProgram {
  /// The words of a command, with the absolute path of its program: a sync may run in another folder, and with another
  /// `PATH`.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a program that is missing or not executable.
  static func words(_ words: [String]) throws -> [String] {
    // An empty word is refused with the settings, and a variable may have another value in a sync.
    guard let word = words.first, !word.isEmpty, word.utf8.firstRange(of: "{env:".utf8) == nil
    else { return words }
    let path = try path(of: word)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw refusal("There is no program \(path).", word)
    }
    if isFolder.boolValue { throw refusal("\(path) is a folder and no program.", word) }
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw OffersError(
        .invalidRequest, "\(path) is not executable.",
        hint: Hint("Make it executable.", command: "chmod +x \(ShellQuoting.word(path))"))
    }
    return [path] + words.dropFirst()
  }

  private static func path(of word: String) throws -> String {
    if word.hasPrefix("~/"), let home = ProcessContext.variable("HOME") {
      return home + word.dropFirst()
    }
    if word.utf8.contains(UInt8(ascii: "/")) {
      return SettingPath.absolute(word.hasPrefix("./") ? String(word.dropFirst(2)) : word)
    }
    let folders = (ProcessContext.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin")
      .split(scalar: ":").filter { $0.hasPrefix("/") }
    let found = folders.lazy.map { "\($0)/\(word)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    if let found { return found }
    throw refusal("There is no program “\(SafeText.line(word, characters: 80))”.", word)
  }

  private static func refusal(_ message: String, _ word: String) -> OffersError {
    let isCommand = word.utf8.contains(UInt8(ascii: " "))
    return OffersError(
      .invalidRequest, message,
      hint: isCommand
        ? Hint(
          "Write its arguments as words of their own.",
          command: "offers channel add command -- PROGRAM ARGUMENT ...")
        : "Name it by its path, such as ~/bin/tell.")
  }
}

struct ChannelEditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Set a channel up again, make it the default, or change its quiet hours.",
    usage: "offers channel edit <name> [<options>]",
    discussion: """
      What waits is tried by the next sync. To change the address, remove the channel and add it again.

      EXAMPLES
        offers channel edit ntfy --quiet '22:00-7:00'
        offers channel edit telegram --option token=...
        offers channel edit email --make-default
      """)

  @Argument(help: "The name of the channel.") var name: String
  @OptionGroup var settings: ChannelSettingOptions
  @Flag(help: "Make it the default.") var makeDefault = false
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let database = try await location.openExisting()
    let old = try await database.fetchChannel(named: name)
    let known = try ChannelSettings(json: old.settings)
    let typed = try ChannelSettings(
      kind: known.kind, words: known.words,
      options: known.options.merging(try settings.values()) { $1 },
      allowsPrivateNetwork: known.allowsPrivateNetwork || settings.allowPrivateNetwork)
    let (stored, secrets) = try typed.separatingSecrets(
      of: ChannelAddCommand.secretName(of: old.name))
    let channel = try await NoticeServices.withSecrets(secrets) {
      _ = try stored.makeChannel(try await NoticeServices.tools(for: database))
      return try await database.changeChannel(
        named: old.name, settings: stored.json, quietHours: try settings.quietHours(),
        becomesDefault: makeDefault)
    }
    try NoticeServices.removeSecrets(known.ownVariables.subtracting(stored.ownVariables))
    if json { return try Output.print(.json(channel.document)) }
    try Output.print(.line("\(DisplayText.oneLine(channel.name)): changed"))
  }
}

struct ChannelTestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Deliver a message over a channel now, to see whether it works.",
    usage: "offers channel test [<name>] [<options>]")

  @Argument(help: "The name of the channel (default: the default).") var name: String?
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let database = try await location.open(.readOnly)
    let channel = try await database.fetchChannel(named: name)
    let outcome = try await NoticeServices.delivery(for: database).test(channel)
    let isDelivered = outcome == .delivered
    if json {
      try Output.print(
        .json(["channel": channel.name, "delivered": isDelivered, "reason": outcome.reason]))
    } else if isDelivered {
      try Output.print(.line("\(DisplayText.oneLine(channel.name)): delivered"))
    } else {
      Output.note(.line(DisplayText.oneLine("\(channel.name): \(outcome.reason ?? "failed")")))
    }
    if !isDelivered { throw ExitCode(ExitStatus.failed.rawValue) }
  }
}

struct ChannelRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a channel, with what waits for it and its secrets.",
    usage: "offers channel remove <name> [<options>]")

  @Argument(help: "The name of the channel.") var name: String
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let channel = try await location.openExisting().removeChannel(named: name)
    try NoticeServices.removeSecrets(channel.ownVariables)
    if json { return try Output.print(.json(channel.document)) }
    try Output.print(.line("\(DisplayText.oneLine(channel.name)): removed"))
  }
}
