import ArgumentParser
import OffersCore

/// `offers schedule show`
struct ScheduleShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the installation, without the values of variables.")

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  /// The installation with a scheduler.
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
    if json { return try Output.printData(Self.json(entries, names.map { (file.path, $0) })) }
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

  /// `{"schedules":[{"scheduler","entry"}],"variables":{"path","names"}}`
  private static func json(_ entries: [Entry], _ variables: (path: String, names: [String])?)
    -> String
  {
    JSONWriter.document { json in
      json.member("schedules", objects: entries) { json, entry in
        json.member("scheduler", entry.scheduler.rawValue)
        json.member("entry", entry.text)
      }
      json.member("variables", object: variables) { json, variables in
        json.member("path", variables.path)
        json.member("names", each: variables.names) { $0.value($1) }
      }
    }
  }
}
