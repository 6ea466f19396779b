import ChildProcesses
import Glibc
import OffersCore
import OffersPlatform

/// The entry in the user's crontab: a line between two comments. All other lines of the crontab
/// stay byte for byte.
///
/// The line has the paths of the program and of the file of variables, quoted for a shell. It
/// contains no values of variables, because cron logs the commands that it runs.
enum Crontab {
  private static let begin = Array("# offers: begin".utf8)
  private static let end = Array("# offers: end".utf8)

  static var isPresent: Bool {
    // A crontab program that cannot be started counts as missing.
    (try? FinishedProgram.run(["crontab", "-l"])) ?? nil != nil
  }

  /// The line that runs a command every quarter of an hour.
  static func line(_ words: [String]) -> String {
    "*/15 * * * * " + words.map(ShellQuoting.word).joined(separator: " ")
  }

  /// Refuses words that a crontab cannot represent: control characters, and backslashes, because
  /// implementations of cron differ in how they unescape them.
  static func check(_ words: [String]) throws {
    for word in words where word.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0x5C }) {
      throw OffersError(
        .invalidRequest,
        "cron cannot run a path with a backslash or a control character: \(word)",
        hint: "Put it elsewhere, or use systemd: offers schedule install systemd")
    }
  }

  /// Adds the entry, which replaces an earlier one.
  static func install(_ words: [String]) throws {
    try check(words)
    let present = try lines()
    let entry = [begin, Array(line(words).utf8), end]
    try write((try split(present).others) + entry)
  }

  /// Removes the entry.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  static func remove() throws -> Bool {
    let parts = try split(try lines())
    if parts.block == nil { return false }
    try write(parts.others)
    return true
  }

  static func block() throws -> [[UInt8]]? { try block(in: lines()) }

  /// The lines between the comments in the lines of a crontab; nil if there is no entry.
  static func block(in lines: [[UInt8]]) throws -> [[UInt8]]? { try split(lines).block }

  /// The address in the last setting of `MAILTO` before the entry, to which cron mails what the
  /// entry prints; empty if it mails nothing, nil if the user gets it. See crontab(5).
  static func mailAddress(in lines: [[UInt8]]) -> String? {
    var address: String?
    for line in lines.prefix(while: { $0 != begin }) {
      let text = String(decoding: line, as: UTF8.self)
      guard let setting = text.wholeMatch(of: /\s*["']?MAILTO["']?\s*=\s*(.*?)\s*/) else {
        continue
      }
      let value = setting.1
      let isQuoted =
        value.count > 1 && value.first == value.last && (value.first == "\"" || value.first == "'")
      address = String(isQuoted ? value.dropFirst().dropLast() : value)
    }
    return address
  }

  /// The line of an entry, whose lines are given.
  static func command(of block: [[UInt8]]) -> String {
    String(decoding: block.first ?? [], as: UTF8.self)
  }

  static func lines() throws -> [[UInt8]] {
    guard let listed = try FinishedProgram.run(["crontab", "-l"]) else {
      throw OffersError(
        .notFound, "cron is not installed.",
        hint: "Install cron, as root: apt-get install cron")
    }
    if listed.status != 0 {
      // A crontab that could not be read must not be replaced by an empty one.
      let isNone = ["no crontab", "can't open"].contains {
        listed.errors.utf8.firstRange(of: $0.utf8) != nil
      }
      guard isNone, listed.output.isEmpty else { throw refusal("read", listed) }
    }
    var found = listed.output.split(separator: 0x0A, omittingEmptySubsequences: false)
    if found.last?.isEmpty == true { found.removeLast() }
    return found.map(Array.init)
  }

  private static func write(_ lines: [[UInt8]]) throws {
    let input = Array(lines.map { $0 + [0x0A] as [UInt8] }.joined())
    let written = try FinishedProgram.run(["crontab", "-"], input: input)
    guard let written, written.status == 0 else {
      throw written.map { refusal("change", $0) }
        ?? OffersError(.notFound, "cron is not installed.")
    }
  }

  private static func refusal(_ verb: String, _ program: FinishedProgram) -> OffersError {
    OffersError(
      .storageFailed, "Could not \(verb) the crontab: \(program.reason)",
      hint: "It was not changed. Try: crontab -l")
  }

  /// Splits a crontab into the lines between the first pair of comments, and the lines outside of
  /// all such pairs.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if the end comment is missing, because then it
  ///   is not known which lines belong to the entry.
  private static func split(_ lines: [[UInt8]]) throws -> (block: [[UInt8]]?, others: [[UInt8]]) {
    guard let first = lines.firstIndex(of: begin) else { return (nil, lines) }
    guard let last = lines[first...].firstIndex(of: end) else {
      throw OffersError(
        .invalidRequest, "The crontab has a line “# offers: begin” without “# offers: end”.",
        hint: "It was not changed. Repair it: crontab -e")
    }
    let rest = try split(Array(lines[(last + 1)...])).others
    return (Array(lines[(first + 1)..<last]), lines[..<first] + rest)
  }
}
