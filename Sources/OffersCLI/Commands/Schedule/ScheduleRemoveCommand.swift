import ArgumentParser
import Glibc
import OffersCore

/// `offers schedule remove`
struct ScheduleRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove the installation and the file with its variables.",
    discussion: "Offers, favorites and feeds stay.")

  func run() async throws {
    var removed: [String] = []
    if Crontab.isPresent, try Crontab.remove() { removed.append(Scheduler.cron.rawValue) }
    if SystemdTimer().remove() { removed.append(Scheduler.systemd.rawValue) }
    unlink(try EnvironmentFile.ofSchedule().path)
    Output.note(
      removed.isEmpty
        ? "Nothing is installed." : "Removed from \(removed.joined(separator: " and ")).")
  }
}
