import OffersCore

/// The words of the command line for the advice of errors and findings: the commands and options
/// that are their remedies.
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
    case .examine: ": offers doctor"
    case .repair: ": offers doctor --repair"
    case .salvage:
      ": offers export --salvage -o saved.json. Then move the database's files away and: "
        + "offers import saved.json --accept-sources"
    case .listOffers: ": offers list"
    case .addFeed: ": offers feeds add NAME SOURCE"
    case .nameItems: ": offers feeds add NAME SOURCE --items PATH."
    case .mapFields(let fields): " with --map " + fields.map { "\($0)=…" }.joined(separator: " ")
    case .showDefinition: ": offers feeds show NAME, or guess SOURCE, prints it."
    }
  }

  private static func from(_ source: String?) -> String {
    source.map { " --from " + ShellQuoting.word($0) } ?? ""
  }
}

extension Advice {
  /// The text with the commands.
  var commandText: String { text { $0.command } }
}

extension OffersError {
  /// The error whose hint has the commands.
  var withCommands: OffersError {
    OffersError(code, message, hint: advice?.commandText, cause: cause)
  }
}

extension SyncRun {
  /// The run whose error has a hint with the commands.
  var withCommands: SyncRun { with(error?.withCommands) }
}
