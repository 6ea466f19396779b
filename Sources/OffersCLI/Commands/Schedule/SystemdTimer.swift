import ChildProcesses
import Glibc
import OffersCore
import OffersPlatform
import OffersSync

struct SystemdTimer {
  private let folder: String?

  init() {
    // Without a home folder the user has no units.
    folder = try? SettingPath.configurationFolder() + "/systemd/user"
  }

  var timerPath: String { "\(folder ?? "")/offers-sync.timer" }
  private var servicePath: String { "\(folder ?? "")/offers-sync.service" }

  var isInstalled: Bool { folder != nil && access(timerPath, F_OK) == 0 }

  static var isReachable: Bool { systemctl("show", "--property=Version")?.status == 0 }

  /// Whether systemd has the timer running.
  var isActive: Bool {
    Self.systemctl("is-active", "--quiet", "offers-sync.timer")?.status == 0
  }

  @discardableResult
  private static func systemctl(_ words: String...) -> FinishedProgram? {
    // A systemctl that cannot be started counts as missing.
    (try? FinishedProgram.run(["systemctl", "--user"] + words)) ?? nil
  }

  /// A quoted word of a unit file (systemd.syntax(7)). Backslashes, double quotes and percent
  /// signs, which begin specifiers, are escaped. Dollar signs are not, because the command begins
  /// with a colon, which disables the substitution of variables.
  static func word(_ text: String) -> String {
    let escaped = text.replacing(bytes: "\\", with: "\\\\").replacing(bytes: "\"", with: "\\\"")
      .replacing(bytes: "%", with: "%%")
    return "\"\(escaped)\""
  }

  /// Refuses paths that a unit cannot represent: those with control characters, and for the program
  /// also those with quotes or backslashes.
  static func check(_ words: [String], database: String?) throws {
    for word in words + [database].compactMap(\.self)
    where word.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw OffersError(
        .invalidRequest, "systemd cannot use a path with a control character: \(word)",
        hint: "Choose another path.")
    }
    if let program = words.first, program.utf8.contains(where: { "\"'\\".utf8.contains($0) }) {
      throw OffersError(
        .invalidRequest,
        "systemd cannot run a program with a quote or backslash in its path: \(program)",
        hint: "Install the program at another path: Scripts/install")
    }
  }

  /// The text of the service that runs a command and may write to one folder, or to none for nil.
  static func service(_ words: [String], writing folder: String?) -> String {
    String(decoding: PackageResources.offers_sync_service, as: UTF8.self)
      .replacing(bytes: "=COMMAND\n", with: "=:\(words.map(word).joined(separator: " "))\n")
      .replacing(bytes: "=DATA\n", with: "=\(folder.map(word) ?? "")\n")
  }

  /// Writes the files of the timer and the service, and starts the timer.
  ///
  /// - Parameters:
  ///   - words: the command that the service runs.
  ///   - database: the path of the database file; nil for a database on a server.
  func install(_ words: [String], database: String?) throws {
    try Self.check(words, database: database)
    guard let version = Self.systemctl("show") else {
      throw OffersError(
        .notFound, "systemd is not installed.", hint: "Use cron: offers schedule install cron")
    }
    guard version.status == 0 else {
      throw OffersError(
        .notFound, "systemd does not run for you: \(version.reason)",
        hint: "Log in anew after, as root: apt-get install dbus-user-session. Or use cron: "
          + "offers schedule install cron")
    }
    var data: String?
    if let database {
      // systemd gives the service write access only to a folder that exists.
      do {
        try FileOperations.makeFolders(of: database)
      } catch {
        throw OffersError(
          .storageFailed, "Could not create the folder of \(database): \(error.text).")
      }
      data = FileOperations.folder(of: SettingPath.absolute(database))
    }
    let timer = String(decoding: PackageResources.offers_sync_timer, as: UTF8.self)
    try AtomicFile.write(Self.service(words, writing: data), to: servicePath)
    try AtomicFile.write(timer, to: timerPath)
    var done = Self.systemctl("daemon-reload")
    if done?.status == 0 { done = Self.systemctl("enable", "--now", "offers-sync.timer") }
    guard done?.status == 0 else {
      remove()
      throw OffersError(
        .storageFailed, "systemd refused the unit: \(done?.reason ?? "")",
        hint: "Nothing is installed. Use cron: offers schedule install cron")
    }
  }

  /// Disables the timer, and removes the files of the timer and the service.
  ///
  /// - Returns: whether either file existed.
  @discardableResult
  func remove() -> Bool {
    guard let folder, isInstalled || access(servicePath, F_OK) == 0 else { return false }
    // If systemd does not respond, the files are still removed.
    Self.systemctl("disable", "--now", "offers-sync.timer")
    for path in [timerPath, servicePath, "\(folder)/timers.target.wants/offers-sync.timer"] {
      unlink(path)
    }
    Self.systemctl("daemon-reload")
    return true
  }
}
