import ArgumentParser
import Glibc
import OffersCore

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
      subscribed feeds are missing, each with what to do. offers doctor says it again. Where no \
      mail can arrive it sends a message over your default channel, and on a terminal it offers to \
      add one.
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
    await tellHealth(of: scheduler)
  }

  /// Says whether anything can arrive, and what to do otherwise.
  private func tellHealth(of scheduler: Scheduler) async {
    // A database or a definition file that cannot be read does not keep the schedule from being installed;
    // `offers doctor` reports it.
    let database = try? await location.openIfThere(.readOnly)
    var channels: [UserChannel] = []
    if let database {
      channels = (try? await UserChoice().bind(database).fetchChannels()) ?? []
    }
    let health = ScheduleHealth(
      feeds: (try? await database?.fetchFeeds()) ?? [],
      definitions: try? await configuration.path.load(from: database),
      channels: channels.filter { $0.endedReason == nil }.map(\.name))
    for finding in health.examine() ?? [] {
      let hint = finding.hint.map { ". " + $0.printed } ?? ""
      let level = finding.level == .ok ? "" : "\(finding.level.rawValue): "
      Output.note(.line(level + finding.message + hint))
    }
    if scheduler == .cron, let lines = try? Crontab.lines(), health.canMail(lines) { return }
    await tryChannel(hasOne: !channels.isEmpty)
  }

  /// Sends a message over the default channel, which a person on the terminal can add first.
  private func tryChannel(hasOne: Bool) async {
    let place = location.database.map { ["--database", $0] } ?? []
    if !hasOne {
      guard Confirmation.isPossible else { return }
      Output.note("No mail can arrive. To be told all the same, write a channel, such as:")
      Output.note("  command ~/bin/tell\n  ntfy https://ntfy.sh/my-secret-topic")
      Output.prompt("Channel [none]: ")
      let words = (ProcessContext.readLine() ?? "").split(scalar: " ").map(String.init)
      if words.isEmpty { return }
      guard await OffersCommand.run(arguments: ["channel", "add"] + words + place) == 0 else {
        return
      }
    }
    // The schedule is installed even if the message is not delivered, which the command says.
    _ = await OffersCommand.run(arguments: ["channel", "test"] + place)
  }

  /// systemd if the user's instance responds, else cron.
  private static func present() throws -> Scheduler {
    if SystemdTimer.isReachable { return .systemd }
    if Crontab.isPresent { return .cron }
    throw OffersError(
      .notFound, "Neither systemd nor cron can run anything for you here.",
      hint: "Install cron, as root: apt-get install cron")
  }

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

struct ScheduleShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the installation, without the values of variables.")

  @Flag(.json) var json = false

  private struct Entry {
    let scheduler: Scheduler
    /// The line of the crontab, or the path of the timer unit.
    let text: String
  }

  func run() async throws {
    var entries: [Entry] = []
    if Crontab.isPresent, let block = try Crontab.block() {
      entries.append(Entry(scheduler: .cron, text: Crontab.command(of: block)))
    }
    let timer = SystemdTimer()
    if timer.isInstalled {
      entries.append(Entry(scheduler: .systemd, text: timer.timerPath))
    }
    let file = try EnvironmentFile.ofSchedule()
    let names = try entries.isEmpty ? nil : file.read()?.map(\.name)
    if json {
      return try Output.print(
        .json([
          "schedules": entries.map { entry -> JSONObject in
            ["scheduler": entry.scheduler.rawValue, "entry": entry.text]
          },
          "variables": names.map { names -> JSONObject in ["path": file.path, "names": names] },
        ]))
    }
    if entries.isEmpty {
      return Output.note("Nothing is installed. Install it: offers schedule install")
    }
    for entry in entries {
      try Output.print("\(entry.scheduler.rawValue)  \(DisplayText.oneLine(entry.text))")
    }
    if let names {
      let listed = names.joined(separator: ", ")
      try Output.print(.line("variables  \(listed) (\(file.path))"))
    }
  }
}

/// `offers schedule run`, which cron and systemd call: it syncs the feeds that are due, with the
/// variables of a file. So neither the crontab nor the unit contains their values, and no shell
/// interprets them.
struct ScheduleRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Sync the feeds that are due with the variables of a file.",
    shouldDisplay: false)

  @Argument(help: "The file.") var file: String

  func run() async throws {
    guard let variables = try EnvironmentFile(path: file).read() else {
      throw OffersError(
        .notFound, "There is no file \(file).", hint: "Create it again: offers schedule install")
    }
    for variable in variables { setenv(variable.name, variable.value, 1) }
    // The program replaces itself (execv), so that code that has already read the environment sees
    // the variables, too.
    let words = ["offers", "sync", "--due", "--news"]
    execv("/proc/self/exe", words.map { strdup($0) } + [nil])
    throw OffersError(
      .storageFailed, "Could not start the sync: \(String(cString: strerror(errno))).")
  }
}

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
