import ArgumentParser
import Glibc
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
        offers search pasta sauce          find offers by their words
        offers show 900117                 read one offer
        offers favorite 900117             star it
        offers changes --favorites         see what changed of your favorites
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
      ImageCommand.self, FavoriteCommand.self, HouseholdCommand.self, ChangesCommand.self,
      HistoryCommand.self, StatusCommand.self, FeedsCommand.self, CacheCommand.self,
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
    StoreLocation.prepareEngines()
    let code = await run(arguments: Array(CommandLine.arguments.dropFirst()))
    Glibc.exit(code)
  }

  /// Runs a command line in this process.
  ///
  /// - Parameter arguments: the command line without the program's name.
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
  /// - Returns: the exit code.
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
