import ArgumentParser
import OffersCore

/// `offers schedule`
struct ScheduleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule",
    abstract: "Let what is due be synced by itself.",
    discussion: """
      Every quarter of an hour "offers sync --due --news" runs for you. cron mails what it prints; \
      systemd logs it: journalctl --user -u offers-sync

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

/// What runs a command at set times.
enum Scheduler: String, CaseIterable, ExpressibleByArgument {
  case cron, systemd
}
