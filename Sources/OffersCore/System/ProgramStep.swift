/// A step that resolves an error and that only the command-line program has a command for, its own
/// or the system's.
package enum ProgramStep: Hashable, Codable, Sendable {
  /// Check the database.
  case examine
  /// Rebuild the derived data of the database.
  case repair
  /// Replace the database by a new one with its users, feeds and favorites.
  case salvage
  /// Salvage the database, and recover the rest with SQLite's shell or from a backup.
  case salvageAndRecover
  /// Replace the database by a new one with the users, feeds and favorites of a backup.
  case salvageBackup(path: String)
  /// Recover the database with SQLite's shell.
  case recover
  /// Say where the offers stand in the document of a new feed.
  case nameItems
  /// Say where the values of these fields stand in the document of a new feed.
  case mapFields([String])
  /// Show the definition of a feed.
  case showDefinition
  /// Write a source as a sync reads it.
  case writeSource
  /// Set an environment variable.
  case setVariable(name: String)
  /// Remove an environment variable.
  case unsetVariable(name: String)
  /// Change the permissions of files or folders to a mode, as chmod(1) writes it.
  case changeMode(String, paths: [String])
  /// Allow the process more open files.
  case allowOpenFiles
  /// Install a newer SQLite library.
  case updateSQLite

  /// Prune by the present time, whatever the last syncs say about the clock.
  case trustClock
  /// Let a stopped process go on, or end it.
  case wakeProcess(Int32)

  /// The words for the step in the text of an advice.
  package var words: String {
    switch self {
    case .salvage, .salvageBackup: " with the program offers"
    case .salvageAndRecover:
      Self.salvage.words
        + ". What that could not read may be in a backup, or be recovered with the "
        + "shell of SQLite"
    case .repair, .mapFields: ""
    case .trustClock: ", prune by it."
    case .wakeProcess: "."
    case .writeSource: ": an http or https URL, a file, standard input, or the sample."
    case .examine, .recover, .nameItems, .showDefinition, .setVariable, .unsetVariable,
      .changeMode, .allowOpenFiles, .updateSQLite:
      "."
    }
  }
}
