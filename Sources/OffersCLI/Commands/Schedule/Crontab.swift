import OffersCore

/// The entry in a person's crontab: a line between two comments. All else in it stays byte for byte.
///
/// The line names the program and the file of variables, quoted for any shell, and has no value of a
/// variable in it: cron logs the commands that it runs.
enum Crontab {
  private static let begin = Array("# offers: begin".utf8)
  private static let end = Array("# offers: end".utf8)

  static var isPresent: Bool {
    // Where it cannot be started it is as good as missing.
    (try? FinishedProgram.run(["crontab", "-l"])) ?? nil != nil
  }

  /// The line that runs words every quarter of an hour.
  static func line(_ words: [String]) -> String {
    "*/15 * * * * " + words.map(ShellQuoting.word).joined(separator: " ")
  }

  /// Refuses words that no crontab can hold. Implementations differ in whether they take a backslash
  /// before another one away.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  static func check(_ words: [String]) throws {
    for word in words where word.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0x5C }) {
      throw OffersError(
        .invalidRequest,
        "cron cannot run what has a backslash or a control character in its path: \(word)",
        hint: "Put it elsewhere, or use systemd: offers schedule install systemd")
    }
  }

  /// Puts the entry in the place of an earlier one.
  static func install(_ words: [String]) throws {
    try check(words)
    let lines = try read()
    let entry = [begin, Array(line(words).utf8), end]
    try write((try split(lines).others) + entry)
  }

  /// - Returns: whether there was an entry.
  @discardableResult
  static func remove() throws -> Bool {
    let parts = try split(try read())
    if parts.block == nil { return false }
    try write(parts.others)
    return true
  }

  /// The lines of the entry; nil when there is none.
  static func block() throws -> [[UInt8]]? { try split(try read()).block }

  /// The line of an entry that this version made; nil for another one.
  static func command(of block: [[UInt8]]) -> String? {
    guard block.count == 1, let line = String(validating: block[0], as: UTF8.self),
      line.utf8.firstRange(of: " schedule run ".utf8) != nil
    else { return nil }
    return line
  }

  private static func read() throws -> [[UInt8]] {
    guard let listed = try FinishedProgram.run(["crontab", "-l"]) else {
      throw OffersError(
        .notFound, "There is no crontab here.",
        hint: "Install cron, as root: apt-get install cron")
    }
    if listed.status != 0 {
      // A crontab that could not be read must not be replaced by an empty one.
      let isNone = ["no crontab", "can't open"].contains {
        listed.errors.utf8.firstRange(of: $0.utf8) != nil
      }
      guard isNone, listed.output.isEmpty else { throw refusal("read", listed) }
    }
    var lines = listed.output.split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map(Array.init)
  }

  private static func write(_ lines: [[UInt8]]) throws {
    let input = Array(lines.map { $0 + [0x0A] as [UInt8] }.joined())
    let written = try FinishedProgram.run(["crontab", "-"], input: input)
    guard let written, written.status == 0 else {
      throw written.map { refusal("change", $0) }
        ?? OffersError(.notFound, "There is no crontab here.")
    }
  }

  private static func refusal(_ verb: String, _ program: FinishedProgram) -> OffersError {
    OffersError(
      .storageFailed, "Could not \(verb) the crontab: \(program.reason)",
      hint: "It is as it was. Try: crontab -l")
  }

  /// What stands between the comments, and all the rest.
  ///
  /// - Throws: `OffersError` with `invalidRequest` where the end is missing: no line is guessed to be
  ///   ours.
  private static func split(_ lines: [[UInt8]]) throws -> (block: [[UInt8]]?, others: [[UInt8]]) {
    guard let first = lines.firstIndex(of: begin) else { return (nil, lines) }
    guard let last = lines[first...].firstIndex(of: end) else {
      throw OffersError(
        .invalidRequest, "The crontab has a line “# offers: begin” without “# offers: end”.",
        hint: "It is as it was. Mend it: crontab -e")
    }
    let rest = try split(Array(lines[(last + 1)...])).others
    return (Array(lines[(first + 1)..<last]), lines[..<first] + rest)
  }
}
