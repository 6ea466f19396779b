/// The hint of a run in an export, which names no command once it is imported.
enum RunHint {
  /// Parts of the commands that older versions wrote into hints.
  private static let marks = [
    ": offers ", " --", ": export ", ": unset ", "sqlite3 ", "ulimit ",
  ]

  /// The hint; nil if it names a command of the program or of a shell, which an app does not have.
  static func withoutCommands(_ text: String) -> String? {
    marks.contains { text.utf8.firstRange(of: $0.utf8) != nil } ? nil : text
  }
}
