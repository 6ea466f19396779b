import ArgumentParser
import Glibc
import OffersCore

/// `offers schedule run`, which cron and systemd call: syncs what is due with the variables of a file.
/// Neither a crontab nor a unit has their values in it, and no shell reads them.
struct ScheduleRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Sync what is due with the variables of a file.",
    shouldDisplay: false)

  @Argument(help: "The file.")
  var file: String

  func run() async throws {
    guard let variables = try EnvironmentFile(path: file).read() else {
      throw OffersError(
        .notFound, "There is no file \(file).", hint: "Make it anew: offers schedule install")
    }
    for variable in variables { setenv(variable.name, variable.value, 1) }
    // Begins anew, so that all of the program sees them, whatever it has looked at by now.
    let words = ["offers", "sync", "--due", "--news"]
    execv("/proc/self/exe", words.map { strdup($0) } + [nil])
    throw OffersError(
      .storageFailed, "Could not start the sync: \(String(cString: strerror(errno))).")
  }
}
