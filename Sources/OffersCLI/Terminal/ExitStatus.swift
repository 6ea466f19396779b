import ArgumentParser
import Glibc
import OffersCore
import OffersPlatform

/// The exit codes of the program. Wrong usage is 64, as in ArgumentParser (`EX_USAGE`).
enum ExitStatus {
  static let failed = ExitCode(1)
  /// Some of several feeds failed.
  static let someFailed = ExitCode(3)
  /// Somebody else holds a lock, such as another sync of the same feed.
  static let locked = ExitCode(11)
  static let wrongUsage = ExitCode(64)
  /// The task was cancelled; as of a program that SIGINT ended.
  static let interrupted = ExitCode(130)
  /// No such offer, feed, user, input or database, an ambiguous id, or no result of a search with
  /// `--exit-status`.
  static let notFound = ExitCode(66)

  static func code(for error: OffersError) -> ExitCode {
    switch error.code {
    case .notFound, .ambiguous: notFound
    case .invalidRequest: wrongUsage
    case .locked: locked
    case .cancelled: interrupted
    case .malformedFeed, .unexpectedShape, .malformedImage, .sourceFailed, .noNetwork,
      .limitExceeded, .heldBack, .storageFailed, .storeUnreachable, .newerDatabase:
      failed
    }
  }

  /// The exit code of a sync of one or several feeds; nil if no feed failed.
  static func code(forFailures failures: [OffersError], of feedCount: Int) -> ExitCode? {
    guard let first = failures.first else { return nil }
    // Another sync of a locked feed is running, so that the sync as a whole has not failed.
    if failures.allSatisfy({ $0.code == .locked }) { return locked }
    if failures.count < feedCount { return someFailed }
    let codes = Set(failures.map { code(for: $0) })
    return codes.count == 1 ? code(for: first) : failed
  }
}

/// A command that changes logins, users, rights or feeds, that a person syncs by, or that replaces data.
protocol LoggedCommand {
  /// What the system's log is told once the command has succeeded; nil for nothing.
  var logEntry: LogEntry? { get }
}

/// A line of the system's log about a command: who ran it, from where, and what it did. The log of a
/// server has such lines about requests.
///
/// It goes to the socket of syslog, which systemd's journal reads as well, as a message of the facility
/// `authpriv` (RFC 3164, section 4.1.1); with `--log-format json` also to standard error.
struct LogEntry {
  let action: String
  let values: [(String, String)]

  /// - Parameter values: what it was about. None may be a secret.
  init(_ action: String, _ values: KeyValuePairs<String, String?> = [:]) {
    self.action = action
    self.values = values.compactMap { name, value in value.map { (name, $0) } }
  }

  /// The facility `authpriv`, 10, and the severity `notice`, 5.
  private static let priority = 10 << 3 | 5

  func send() {
    let context = ProcessContext.current
    let number = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    let who = [("client", Self.client), ("request", number), ("user", Self.user)]
    let line = LogLine(.notice, action, values + who)
    if context.logsJSON { Output.log(line, isJSON: true) }
    guard let socket = context.systemLog.flatMap(NotifySocket.init) else { return }
    // A machine without a log has no such socket.
    try? socket.send("<\(Self.priority)>offers[\(getpid())]: \(DisplayText.oneLine(line.untimed))")
  }

  /// The address from which the person is logged in to this machine.
  private static var client: String {
    let connection = ProcessContext.variable("SSH_CONNECTION") ?? ""
    return connection.split(scalar: " ").first.map(String.init) ?? "local"
  }

  /// The name of the person, also of one who uses sudo, or else the number of the user.
  private static var user: String {
    if let name = ProcessContext.variable("SUDO_USER") { return name }
    return getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? String(getuid())
  }
}
