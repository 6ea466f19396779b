import Glibc
import OffersCore

/// The timer and the service of a person's own systemd.
struct SystemdTimer {
  private let folder: String?

  init() {
    // Without a home there is nothing of a person's own.
    folder = try? SettingPath.configurationFolder() + "/systemd/user"
  }

  var timerPath: String { "\(folder ?? "")/offers-sync.timer" }
  private var servicePath: String { "\(folder ?? "")/offers-sync.service" }

  var isInstalled: Bool { folder != nil && access(timerPath, F_OK) == 0 }

  /// Whether this version made it: earlier ones wrote the values of variables into the service.
  var isCurrent: Bool {
    let text = (try? TextFile.read(servicePath)) ?? nil  // What cannot be read is not ours.
    return text?.utf8.firstRange(of: "\"schedule\" \"run\"".utf8) != nil
  }

  /// Whether the person's systemd answers.
  static var isReachable: Bool {
    // Where it cannot be started it is as good as missing.
    let shown = try? FinishedProgram.run(["systemctl", "--user", "show", "--property=Version"])
    return (shown ?? nil)?.status == 0
  }

  /// A word of a unit's file (systemd.syntax(7)): in double quotes, with backslashes, quotes and
  /// percent signs, which begin specifiers, escaped. A dollar sign is nothing special where the command
  /// begins with a colon.
  static func word(_ text: String) -> String {
    let escaped = text.replacing(bytes: "\\", with: "\\\\").replacing(bytes: "\"", with: "\\\"")
      .replacing(bytes: "%", with: "%%")
    return "\"\(escaped)\""
  }

  /// Refuses paths that systemd cannot hold: control characters, and for a program also quotes and
  /// backslashes.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  static func check(_ words: [String], database: String) throws {
    for word in words + [database] where word.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      throw OffersError(
        .invalidRequest, "systemd takes no path with a control character in it: \(word)",
        hint: "Put it elsewhere.")
    }
    if let program = words.first, program.utf8.contains(where: { "\"'\\".utf8.contains($0) }) {
      throw OffersError(
        .invalidRequest,
        "systemd runs no program with a quote or backslash in its path: \(program)",
        hint: "Put the program elsewhere: Scripts/install")
    }
  }

  /// The service that runs words and may write into one folder.
  static func service(_ words: [String], writing folder: String) -> String {
    String(decoding: PackageResources.offers_sync_service, as: UTF8.self)
      .replacing(bytes: "=COMMAND\n", with: "=:\(words.map(word).joined(separator: " "))\n")
      .replacing(bytes: "=DATA\n", with: "=\(word(folder))\n")
  }

  func install(_ words: [String], database: String) throws {
    try Self.check(words, database: database)
    guard let version = try FinishedProgram.run(["systemctl", "--user", "show"]) else {
      throw OffersError(
        .notFound, "There is no systemd here.", hint: "Use cron: offers schedule install cron")
    }
    guard version.status == 0 else {
      throw OffersError(
        .notFound, "systemd does not run for you: \(version.reason)",
        hint: "Log in anew after, as root: apt-get install dbus-user-session. Or use cron: "
          + "offers schedule install cron")
    }
    // systemd lets the service write only into a folder that is there.
    guard FileBytes.makeFolders(of: database) else {
      throw OffersError(
        .storageFailed,
        "Could not make the folder of \(database): \(String(cString: strerror(errno))).")
    }
    let data = FileBytes.folder(of: SettingPath.absolute(database))
    let timer = String(decoding: PackageResources.offers_sync_timer, as: UTF8.self)
    try NewFile.write(Self.service(words, writing: data), to: servicePath)
    try NewFile.write(timer, to: timerPath)
    for words in [["daemon-reload"], ["enable", "--now", "offers-sync.timer"]] {
      let done = try FinishedProgram.run(["systemctl", "--user"] + words)
      guard done?.status == 0 else {
        remove()
        throw OffersError(
          .storageFailed, "systemd did not take it: \(done?.reason ?? "")",
          hint: "Nothing is installed. Use cron: offers schedule install cron")
      }
    }
  }

  /// - Returns: whether there was one.
  @discardableResult
  func remove() -> Bool {
    guard let folder, isInstalled || access(servicePath, F_OK) == 0 else { return false }
    // Where systemd does not answer, what it would run is taken away all the same.
    _ = try? FinishedProgram.run(["systemctl", "--user", "disable", "--now", "offers-sync.timer"])
    for path in [timerPath, servicePath, "\(folder)/timers.target.wants/offers-sync.timer"] {
      unlink(path)
    }
    _ = try? FinishedProgram.run(["systemctl", "--user", "daemon-reload"])
    return true
  }
}
