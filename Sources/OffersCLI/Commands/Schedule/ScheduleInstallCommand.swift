import ArgumentParser
import Glibc
import OffersCore

/// `offers schedule install`
struct ScheduleInstallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Sync the feeds that are due every quarter of an hour.",
    usage: "offers schedule install [cron|systemd] [<options>]",
    discussion: """
      An earlier installation is replaced, also one with the other scheduler. The variables that \
      the syncs depend on (database, user, definitions, proxies, certificates, and those that \
      definitions and sources name as {env:NAME}) are stored with their current values in a file \
      that only you can read. Install again when they change.

      At the end it says whether the syncs can run and whom their news reaches: whether the \
      timer of systemd runs, whether cron can mail, and which variables of \
      subscribed feeds are missing, each with what to do. offers doctor says it again.
      """)

  @Argument(help: "The scheduler (default: systemd if it runs for you, else cron).")
  var scheduler: Scheduler?

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let file = try EnvironmentFile.ofSchedule()
    let database = try location.place.file?.path
    _ = try UserChoice()
    // A database that cannot be read does not keep the schedule from being installed.
    let stored = try? await location.openIfThere(.readOnly)?.fetchDefinitions()
    let variables = try ScheduleVariables.collect(
      databaseOption: location.database, configOption: configuration.config, stored ?? [])
    let scheduler = try scheduler ?? Self.present()
    let words = [try Self.program(), "schedule", "run", file.path]
    // An invalid file is of no use to an earlier installation.
    let earlier = (try? file.read()) ?? nil
    switch scheduler {
    case .cron: try Crontab.check(words)
    case .systemd: try SystemdTimer.check(words, database: database)
    }
    try file.write(variables)
    do {
      switch scheduler {
      case .cron: try Crontab.install(words)
      case .systemd: try SystemdTimer().install(words, database: database)
      }
    } catch {
      // An earlier installation goes on with its variables. The error of the installation is the one to report.
      if let earlier { try? file.write(earlier) } else { unlink(file.path) }
      throw error
    }
    switch scheduler {
    case .cron: SystemdTimer().remove()
    case .systemd: if Crontab.isPresent { try Crontab.remove() }
    }
    let names = variables.map(\.name).joined(separator: ", ")
    Output.note(
      "Installed: \(scheduler.rawValue) syncs the feeds that are due every quarter of an hour.")
    Output.note(.line("With these variables, stored in \(file.path): \(names)"))
    await tellHealth()
  }

  /// Says whether anything can arrive, and what to do otherwise.
  private func tellHealth() async {
    // A database or a definition file that cannot be read does not keep the schedule from being installed;
    // `offers doctor` reports it.
    let database = try? await location.openIfThere(.readOnly)
    let health = ScheduleHealth(
      feeds: (try? await database?.fetchFeeds()) ?? [],
      definitions: try? await configuration.path.load(from: database))
    for finding in health.examine() ?? [] {
      let advice = finding.advice.map { ". " + $0.printed } ?? ""
      let level = finding.level == .ok ? "" : "\(finding.level.rawValue): "
      Output.note(.line(level + finding.message + advice))
    }
  }

  /// systemd if the user's instance responds, else cron.
  ///
  /// - Throws: `OffersError` with `notFound` if neither is available.
  private static func present() throws -> Scheduler {
    if SystemdTimer.isReachable { return .systemd }
    if Crontab.isPresent { return .cron }
    throw OffersError(
      .notFound, "Neither systemd nor cron can run anything for you here.",
      hint: "Install cron, as root: apt-get install cron")
  }

  /// The path of the running program.
  private static func program() throws -> String {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    guard count > 0,
      let path = String(
        validating: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    else {
      throw OffersError(
        .invalidRequest, "The path of the program is not UTF-8.",
        hint: "Install the program at another path: Scripts/install")
    }
    return path
  }
}
