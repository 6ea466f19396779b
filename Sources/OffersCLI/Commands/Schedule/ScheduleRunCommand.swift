import ArgumentParser
import Glibc
import OffersCore

/// `offers schedule run`, which cron and systemd call: it syncs the feeds that are due, with the
/// variables of a file. So neither the crontab nor the unit contains their values, and no shell
/// interprets them.
struct ScheduleRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Sync the feeds that are due with the variables of a file.",
    shouldDisplay: false)

  @Argument(help: "The file.")
  var file: String

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
