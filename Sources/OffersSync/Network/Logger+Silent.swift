import Logging

extension Logger {
  /// A logger that discards everything, for engines and loaders that were given none.
  package static var silent: Logger {
    Logger(label: "offers", factory: { _ in SwiftLogNoOpLogHandler() })
  }
}
