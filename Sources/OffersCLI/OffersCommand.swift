import ArgumentParser
import Glibc
import OffersCore

/// The program `offers`.
@main
struct OffersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offers",
    abstract: "Keeps cash-back offers on your own machine: synced, starred, readable offline.",
    discussion: """
      EXAMPLES
        offers sync                        read the feeds you are subscribed to
        offers list --favorites            see what you starred
        offers search pasta sauce          find offers by their words
        offers show 900117                 read one offer
        offers favorite 900117             star it
        offers hide category:Beer          leave out what you do not want
        offers changes --favorites         see what changed of your favorites
        offers watch add coffee 'reward:>=2'   be told of new offers
        offers feeds                       list all feeds
        offers --generate-completion-script bash   complete words: bash, zsh or fish
        offers export -o offers.json       archive or move your data
        offers doctor                      look for problems

      EXIT CODES
        0 done, 1 failed, 3 some feeds failed, 11 another sync holds the lock,
        64 wrong usage, 66 no such offer, feed, user, input or database
      """,
    version: Version.current,
    subcommands: [
      SyncCommand.self, ListCommand.self, SearchCommand.self, ShowCommand.self, OpenCommand.self,
      ImageCommand.self, FavoriteCommand.self, HideCommand.self, HouseholdCommand.self,
      ChangesCommand.self, HistoryCommand.self, WatchCommand.self, ChannelCommand.self,
      NoticesCommand.self,
      StatusCommand.self, FeedsCommand.self, CacheCommand.self,
      PruneCommand.self,
      ExportCommand.self, ImportCommand.self, MigrateCommand.self, BackupCommand.self,
      RestoreCommand.self,
      DoctorCommand.self, ScheduleCommand.self, UserCommand.self, ServeCommand.self,
      TokenCommand.self, ManualCommand.self, ScalePictureCommand.self,
    ])

  static func main() async {
    Output.reserveStandardDescriptors()
    ProgressBar.clearWhenInterrupted()
    BusError.reportAtEnd()
    let code = await run(arguments: Array(CommandLine.arguments.dropFirst()))
    Glibc.exit(code)
  }

  /// Runs a command line in this process.
  ///
  /// - Returns: the exit code. For a code other than 0 the reason has been printed, unless the
  ///   reader of standard output closed the pipe, or a feed failed with `sync --news`.
  static func run(arguments: [String]) async -> Int32 {
    var context = ProcessContext.current
    context.logsJSON = LogFormatOption.isJSON(arguments)
    return await ProcessContext.$current.withValue(context) { await runCommand(arguments) }
  }

  private static func runCommand(_ arguments: [String]) async -> Int32 {
    do {
      let words = words(arguments[...])
      try CommandNameCheck.check(words, under: Self.self)
      var command = try await asyncParseAsRoot(words)
      // ArgumentParser's own commands, such as help, are synchronous.
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      if let command = command as? any LoggedCommand { command.logEntry?.send() }
      return 0
    } catch {
      return report(error)
    }
  }

  /// The words of the command line, with each `--database` and `--user` before the command moved to
  /// the end, or before a `--`.
  ///
  /// The parser accepts options only after the command, but people write these in either place.
  static func words(_ words: ArraySlice<String>) -> [String] {
    var rest = words
    var moved: [String] = []
    while let first = rest.first {
      if movedOptions.contains(first), rest.count > 2 {
        moved += rest.prefix(2)
        rest = rest.dropFirst(2)
      } else if movedOptions.contains(where: { first.hasPrefix($0 + "=") }), rest.count > 1 {
        moved.append(first)
        rest = rest.dropFirst()
      } else {
        break
      }
    }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return rest[..<end] + moved + rest[end...]
  }

  private static let movedOptions = ["--database", "--user"]

  /// Prints the text of an error: on standard error, or on standard output for a text that the user
  /// asked for, such as the help.
  ///
  /// - Parameter error: the error that the command threw. ArgumentParser also throws to print the
  ///   help, the version and the candidates of a completion.
  private static func report(_ error: any Error) -> Int32 {
    if let error = error as? OffersError {
      Output.error(error)
      return ExitStatus.code(for: error).rawValue
    }
    // A command that throws an exit code has printed all messages itself.
    if let code = error as? ExitCode { return code.rawValue }
    if error is ReaderGone { return ExitStatus.failed.rawValue }
    let code = exitCode(for: error)
    let text = fullMessage(for: error)
    if code.isSuccess {
      do {
        // This may be a completion script.
        if !text.isEmpty { try Output.printData(text) }
      } catch {
        return report(error)
      }
    } else {
      // Errors of the parser begin with `offers: `, as all other errors do.
      let start = ProcessContext.current.logsJSON ? "" : "offers: "
      Output.note(.text(text.hasPrefix("Error: ") ? start + text.dropFirst(7) : text), .error)
    }
    return code.rawValue
  }
}

/// A check of the names of commands in a command line. It runs before ArgumentParser, which reports
/// a misspelt command only as an unexpected argument.
enum CommandNameCheck {
  /// Refuses an unknown command or subcommand. The hint suggests a command with a similar name, if
  /// there is one.
  ///
  /// - Parameter words: the command line without the program's name. Nothing is checked from the first
  ///   option on.
  static func check(_ words: [String], under root: any ParsableCommand.Type) throws {
    var command = root
    var path = name(of: root)
    // `offers help COMMAND` names the command after the word `help`.
    for word in words.first == "help" ? words.dropFirst() : words[...] {
      let below = command.configuration.subcommands
      if below.isEmpty || word.hasPrefix("-") { return }
      guard let next = below.first(where: { name(of: $0) == word }) else {
        let names = below.filter { $0.configuration.shouldDisplay }.map { name(of: $0) }
        let near = NearestWord.find(word, among: names).map { "Did you mean \($0)? " } ?? ""
        throw OffersError(
          .invalidRequest, "There is no command “\(path) \(word)”.",
          hint: "\(near)See the commands: \(path) --help")
      }
      command = next
      path += " " + word
    }
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }
}

/// `offers manual`, with which the installation makes the manual page: the help of each command, in
/// the macros of man(7).
struct ManualCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Print the manual page, for man.",
    shouldDisplay: false)

  func run() async throws {
    let abstract = Self.escaped(OffersCommand.configuration.abstract)
    var page = """
      .TH OFFERS 1 "" "offers \(Version.current)" "User Commands"
      .SH NAME
      offers \\- \(abstract)
      .SH OVERVIEW

      """
    page += Self.literal(OffersCommand.helpMessage(columns: Self.columns))
    for command in OffersCommand.configuration.subcommands {
      Self.add(command, "offers", to: &page)
    }
    try Output.printData(page, terminator: "")
  }

  /// The width of the help's lines, which leaves room for the indentation of man.
  private static let columns = 72

  private static func add(
    _ command: any ParsableCommand.Type, _ path: String, to page: inout String
  ) {
    guard command.configuration.shouldDisplay else { return }
    let path = path + " " + (command.configuration.commandName ?? "")
    page += ".SH \"\(path)\"\n"
    page += literal(OffersCommand.helpMessage(for: command, columns: columns))
    for below in command.configuration.subcommands { add(below, path, to: &page) }
  }

  /// A text that keeps its line breaks (`.nf`).
  private static func literal(_ text: String) -> String {
    let lines = text.split(scalar: "\n", omittingEmptySubsequences: false)
    return ".nf\n" + lines.map { escaped(String($0)) + "\n" }.joined() + ".fi\n"
  }

  /// A line with backslashes and hyphens escaped, and without a dot or an apostrophe at its start,
  /// where it would begin a request.
  private static func escaped(_ line: String) -> String {
    let text = line.replacing(bytes: "\\", with: "\\e").replacing(bytes: "-", with: "\\-")
    return line.utf8.first.map { ".'".utf8.contains($0) } == true ? "\\&" + text : text
  }
}

/// The end of the program by SIGBUS.
///
/// SQLite maps its `-shm` file into memory. Where a page of that file has no place on the disk yet,
/// as on a full file system with small blocks or with copy-on-write, the first write to the page
/// raises SIGBUS instead of an error. So does a page that the disk does not return.
enum BusError {
  /// Makes the program say what happened, and end with the exit code of a failure. Only a fixed text
  /// is written, because a handler of signals must not allocate memory.
  static func reportAtEnd() {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in
      let text: StaticString = """
        offers: The disk is full, or it failed while the database was used. The last change may or \
        may not have been stored.
                Make room, then look whether the change is there before you repeat it.

        """
      _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(1)
    }
    sigaction(SIGBUS, &action, nil)
  }
}
