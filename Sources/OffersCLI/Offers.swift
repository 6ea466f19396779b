import ArgumentParser
import Glibc
import OffersCore
import OffersSQLite

/// The program `offers`.
@main
struct Offers: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "offers",
    abstract: "Keeps cash-back offers on your own machine: synced, starred, readable offline.",
    discussion: """
      EXAMPLES
        offers sync                        read the feeds you are subscribed to
        offers list --favorites            see what you starred
        offers search pasta sauce          find offers by their words
        offers show 110579                 read one offer
        offers favorite 110579             star it
        offers changes --favorites         see what became of what you starred
        offers feeds                       see the feeds there are
        offers --generate-completion-script bash   complete words: bash, zsh or fish
        offers export -o offers.json       keep or move all of it
        offers doctor                      see whether all is well

      EXIT CODES
        0 done, 1 failed, 3 some feeds failed, 11 another sync holds the lock,
        64 wrong usage, 66 no such offer, feed, input or database
      """,
    version: Version.current,
    subcommands: [
      SyncCommand.self, ListCommand.self, SearchCommand.self, ShowCommand.self, OpenCommand.self,
      ImageCommand.self, FavoriteCommand.self, ChangesCommand.self, HistoryCommand.self,
      StatusCommand.self, FeedsCommand.self, CacheCommand.self, PruneCommand.self,
      ExportCommand.self, ImportCommand.self, BackupCommand.self, DoctorCommand.self,
      ScheduleCommand.self, ServeCommand.self, ManualCommand.self,
    ])

  /// Runs on the main thread. Only commands that must wait for something pay for a second one.
  static func main() {
    Output.reserveStandardDescriptors()
    ProgressBar.clearWhenInterrupted()
    do {
      let words = words(CommandLine.arguments.dropFirst())
      // The parser takes longer to start than the program does.
      if words == ["--version"] { return Output.print(Version.current) }
      if try ShowCommand.run(plainWords: words[...]) { return }
      if try SearchCommand.run(plainWords: words[...]) { return }
      if try ListCommand.run(plainWords: words[...]) { return }
      if Completions.answer(words) { return }
      if words == ["--generate-completion-script", "bash"] {
        return Output.print(CompletionScript.bash)
      }
      if let job = try SyncCommand.job(plainWords: words[...]) { wait { try await job.run() } }
      try CommandTree.check(words, under: Self.self)
      let command = try parseAsRoot(words)
      guard let waiting = command as? any WaitingCommand else {
        var command = command
        return try command.run()
      }
      wait {
        var waiting = waiting
        try await waiting.run()
      }
    } catch {
      fail(error)
    }
  }

  /// The words of the command line with a leading --database moved behind its command, which alone
  /// takes options: people write it in either place.
  static func words(_ words: ArraySlice<String>) -> [String] {
    var rest = words
    var moved: [String] = []
    while let first = rest.first {
      if first == "--database", rest.count > 2 {
        moved += rest.prefix(2)
        rest = rest.dropFirst(2)
      } else if first.hasPrefix("--database="), rest.count > 1 {
        moved.append(first)
        rest = rest.dropFirst()
      } else {
        break
      }
    }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return rest[..<end] + moved + rest[end...]
  }

  /// Ends the program when the work is done.
  private static func wait(for work: @escaping @Sendable () async throws -> Void) -> Never {
    Task {
      do {
        try await work()
        exit()
      } catch {
        fail(error)
      }
    }
    // Ending this thread for good, as dispatchMain() does, would load a library for it.
    while true { pause() }
  }

  private static func fail(_ error: any Error) -> Never {
    guard let error = error as? OffersError else {
      // All was told before.
      if let code = error as? ExitCode { exit(withError: code) }
      guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
      // The parser's words for wrong usage, in the form of every other error.
      let text = DisplayText.safe(fullMessage(for: error))
      Output.note(text.hasPrefix("Error: ") ? "offers: " + text.dropFirst(7) : text)
      exit(withError: ExitStatus.wrongUsage)
    }
    Output.error(error)
    exit(withError: ExitStatus.code(for: error))
  }
}

/// A command that waits for the network or for other processes, on a task of its own.
protocol WaitingCommand: AsyncParsableCommand, Sendable {}
