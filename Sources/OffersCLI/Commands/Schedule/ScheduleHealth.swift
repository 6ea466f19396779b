import Foundation
import Glibc
import OffersCore
import OffersFeeds
import OffersPlatform

/// Whether the scheduled syncs run, whether anybody gets what they print, and whether they have the
/// variables that the subscribed feeds need.
struct ScheduleHealth {
  let feeds: [Feed]
  /// The definitions of feeds; nil if they cannot be read.
  let definitions: FeedConfiguration?
  /// The names of the channels that deliver notices.
  var channels: [String] = []
  /// The path of the database; nil for one on a server.
  var database: String?
  /// The folder that stands for the root of the file system.
  var root = ""

  /// The finding if nothing is installed.
  static let nothing = Finding(
    .ok, subject, "nothing is installed, so feeds are synced when you sync them",
    hint: "To sync the feeds that are due by themselves: offers schedule install")

  func examine() -> [Finding]? {
    // A crontab that cannot be read has no entry that is known, and install reports the error.
    let crontab = Crontab.isPresent ? try? Crontab.lines() : nil
    let timer = SystemdTimer()
    var findings: [Finding] = []
    if let crontab, hasEntry(crontab) { findings += cron(crontab) }
    if timer.isInstalled { findings += systemd(isActive: timer.isActive) }
    if findings.isEmpty { return findOther(crontab ?? []).map { [$0] } }
    do {
      let file = try EnvironmentFile.ofSchedule()
      guard let stored = try file.read() else {
        return findings + [
          Finding(
            .problem, Self.subject, "the file \(file.path) is missing, so the syncs fail",
            hint: "Install again: offers schedule install")
        ]
      }
      return findings + variables(stored.map(\.name))
    } catch {
      let error = error as? OffersError
      return findings + [
        Finding(
          .problem, Self.subject, error?.message ?? "the variables cannot be read",
          hint: error?.hint)
      ]
    }
  }

  /// Whether a crontab has an entry for this home folder, which names its file of variables.
  private func hasEntry(_ crontab: [[UInt8]]) -> Bool {
    // A crontab without the end of the entry is reported by install.
    guard let block = (try? Crontab.block(in: crontab)) ?? nil,
      let file = try? EnvironmentFile.ofSchedule()
    else { return false }
    return Crontab.command(of: block).hasSuffix(" \(ShellQuoting.word(file.path))")
  }

  /// The finding on a schedule that `schedule install` did not make: a timer of the package, or a line of the
  /// crontab; nil for none.
  func findOther(_ crontab: [[UInt8]]) -> Finding? {
    let enabled = "systemd/user/timers.target.wants/offers-sync.timer"
    // Without a home folder the user has no units.
    let own = (try? SettingPath.configurationFolder()).map { "\($0)/\(enabled)" }
    if let own, access(own, F_OK) == 0 || access("\(root)/etc/\(enabled)", F_OK) == 0 {
      return Finding(
        .ok, Self.subject, "the package's timer of systemd syncs the feeds that are due",
        hint: Hint(Self.log))
    }
    let folders = ["/var/lib/offers/", "/var/lib/private/offers/"]
    if folders.contains(where: { database?.hasPrefix($0) == true }) || database == nil,
      access("\(root)/etc/systemd/system/timers.target.wants/offers-sync.timer", F_OK) == 0
    {
      return Finding(
        .ok, Self.subject, "the system's timer offers-sync.timer syncs the feeds that are due",
        hint: "Read the news: journalctl -u offers-sync")
    }
    let isCalled = crontab.contains { line in
      String(decoding: line, as: UTF8.self)
        .firstMatch(of: /^\s*[^#\s].*\boffers\b.*\bsync\b/) != nil
    }
    return isCalled ? Finding(.ok, Self.subject, "a line of your crontab syncs the feeds") : nil
  }

  /// The findings on the mail of cron, given the lines of the user's crontab.
  func cron(_ lines: [[UInt8]]) -> [Finding] {
    let address = Crontab.mailAddress(in: lines)
    if canMail(lines) {
      let receiver = address ?? Self.userName.map { "\($0) on this machine" } ?? "you"
      return [
        Finding(
          .ok, Self.subject, "cron syncs the feeds that are due, and mails news to \(receiver)")
      ]
    }
    if let teller {
      return [Finding(.ok, Self.subject, "cron syncs the feeds that are due, and \(teller)")]
    }
    let (cause, remedy) =
      address == ""
      ? ("MAILTO is empty in the crontab", "Set it to your address: crontab -e")
      : ("cron finds no mail program", "Install one, as root: apt-get install msmtp-mta")
    return [
      Finding(
        .warning, Self.subject, "\(cause), so nobody gets the news that the syncs print",
        hint: Hint("\(remedy). Or \(Self.otherWay)"))
    ]
  }

  /// Whether cron can mail the news, given the lines of the user's crontab.
  func canMail(_ lines: [[UInt8]]) -> Bool {
    Crontab.mailAddress(in: lines) != "" && hasMailProgram
  }

  /// The part of a sentence that names the channels; nil if there is none.
  private var teller: String? {
    guard let last = channels.last else { return nil }
    guard channels.count > 1 else { return "the channel \(last) tells you the news" }
    return
      "the channels \(channels.dropLast().joined(separator: ", ")) and \(last) tell you the news"
  }

  /// The findings on the timer of the user's systemd instance, which logs what the syncs print.
  func systemd(isActive: Bool) -> [Finding] {
    guard isActive else {
      return [
        Finding(
          .problem, Self.subject, "the timer of systemd is not active, so nothing is synced",
          hint: "Install it again: offers schedule install")
      ]
    }
    if let user = Self.userName, access("\(root)/var/lib/systemd/linger/\(user)", F_OK) != 0 {
      return [
        Finding(
          .warning, Self.subject, "systemd syncs the feeds only while you are logged in",
          hint: Hint(
            "To sync also while you are logged out: loginctl enable-linger. \(Self.log)"))
      ]
    }
    return [
      Finding(
        .ok, Self.subject, "systemd syncs the feeds that are due, and \(teller ?? "logs the news")",
        hint: Hint(teller == nil ? "\(Self.log). Or \(Self.otherWay)" : Self.log))
    ]
  }

  /// The findings on the variables that subscribed feeds need and that are not stored.
  func variables(_ stored: [String]) -> [Finding] {
    feeds.compactMap { feed in
      // A definition that cannot be read is reported elsewhere.
      guard let definition = (try? definitions?.find(feed.name)) ?? nil else { return nil }
      let missing = ScheduleVariables.names(
        neededBy: definition, hasNamedSource: feed.chosenSource != nil
      ).subtracting(stored).sorted()
      guard !missing.isEmpty else { return nil }
      let exports = missing.map { "export \($0)=VALUE" }.joined(separator: "; ")
      return Finding(
        .problem, Self.subject,
        "\(feed.name) needs \(missing.joined(separator: ", ")), which the scheduled syncs do not have",
        hint: Hint("Set it and install again: \(exports); offers schedule install"))
    }
  }

  /// Whether there is a program with the name and the place that implementations of cron call.
  private var hasMailProgram: Bool {
    ["/usr/sbin/sendmail", "/usr/lib/sendmail", "/usr/bin/sendmail"].contains {
      access(root + $0, X_OK) == 0
    }
  }

  private static var userName: String? {
    getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
  }

  private static let subject = "schedule"
  private static let otherWay = "be told over a channel: offers channel --help"
  private static let log = "Read them: journalctl --user -u offers-sync"
}
