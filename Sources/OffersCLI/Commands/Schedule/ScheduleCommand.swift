import ArgumentParser
import OffersCore

/// `offers schedule`
struct ScheduleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule",
    abstract: "Schedule the syncs of feeds that are due.",
    discussion: """
      Runs "offers sync --due --news" every quarter of an hour. cron mails its output; systemd \
      logs it: journalctl --user -u offers-sync

      EXAMPLES
        offers schedule install
        offers schedule install cron
        offers schedule show
        offers schedule remove
      """,
    subcommands: [
      ScheduleInstallCommand.self, ScheduleShowCommand.self, ScheduleRemoveCommand.self,
      ScheduleRunCommand.self,
    ])
}

/// A program that runs commands at set times.
enum Scheduler: String, CaseIterable, ExpressibleByArgument {
  case cron, systemd
}
