import OffersCore

/// The commands and options of this program that stand for remedies in the advice of errors and
/// findings.
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
    case .acceptSources: ", add --accept-sources"
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
  /// The text of the advice, with the command or option for its remedy, if it has one.
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
