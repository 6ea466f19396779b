import OffersCore
import OffersPlatform

// The commands and options of this program, and commands of the system, that stand for the steps in
// the advice of errors and findings.

extension AdvisedStep {
  fileprivate var command: String {
    switch self {
    case .remedy(let remedy): remedy.command
    case .program(let step): step.command
    }
  }
}

extension Remedy {
  fileprivate var command: String {
    switch self {
    case .acceptRemovals(let feed, let source):
      ": offers sync \(feed)\(Self.from(source)) --accept-removals"
    case .nameSource(nil, _): ": offers sync FEED --from FILE"
    case .nameSource(let feed?, let source):
      ": offers sync \(feed)" + (source == nil ? " --from URL-OR-FILE" : Self.from(source))
    case .force(let feed): ": offers sync \(feed) --force, or --from another address."
    case .allowPrivateNetwork: ", add --allow-private-network."
    case .sync: ": offers sync"
    case .chooseDatabase: " with --database."
    case .listOffers: ": offers list"
    case .addFeed: ": offers feeds add NAME SOURCE"
    }
  }

  /// The option that names a source, with hidden values, since errors are logged.
  private static func from(_ source: String?) -> String {
    source.map { " --from " + ShellQuoting.word(AddressRedaction.hidden(in: $0)) } ?? ""
  }
}

extension ProgramStep {
  fileprivate var command: String {
    switch self {
    case .examine: ": offers doctor"
    case .repair: ": offers doctor --repair"
    case .salvage: ": offers restore --salvage"
    case .salvageBackup(let path): ": offers restore --salvage \(ShellQuoting.word(path))"
    case .salvageAndRecover:
      Self.salvage.command
        + ". What that could not read may be in a backup, or be recovered by: sqlite3 FILE .recover"
    case .recover: ": sqlite3 FILE .recover"
    case .nameItems: ": offers feeds add NAME SOURCE --items PATH."
    case .mapFields(let fields): " with --map " + fields.map { "\($0)=…" }.joined(separator: " ")
    case .showDefinition: ": offers feeds show NAME, or guess SOURCE, prints it."
    case .writeSource: ": an http or https URL, a file, - for standard input, or sample."
    case .setVariable(let name): ": export \(name)=…"
    case .unsetVariable(let name): ": unset \(name)"
    case .changeMode(let mode, let paths):
      ": chmod \(mode) " + paths.map(ShellQuoting.word).joined(separator: " ")
    case .allowOpenFiles: " with ulimit -n."
    case .trustClock: ", add --trust-clock."
    case .wakeProcess(let pid): ": kill -CONT \(pid), or kill -KILL \(pid)."
    case .updateSQLite: " (Debian: apt-get install libsqlite3-0)."
    }
  }
}

extension Advice {
  /// The text of the advice, with the command or option for its step, if it has one.
  var commandText: String { text { $0.command } }
}

extension OffersError {
  /// The error with `commandText` as its hint.
  var withCommands: OffersError {
    OffersError(code, message, hint: advice?.commandText, cause: cause)
  }
}

extension SyncRun {
  /// The run with `commandText` as the hint of its error.
  var withCommands: SyncRun { with(error?.withCommands) }
}
