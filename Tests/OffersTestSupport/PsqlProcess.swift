import Foundation

/// A running psql, which is fed with statements: its start takes longer than most of them.
///
/// It ends with the object, and with the first statement that fails.
final class PsqlProcess: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let sql: String
    var description: String { "psql failed: \(sql)" }
  }

  private static let mark = "\u{1}done"

  private let statements: FileHandle
  private let output: FileHandle

  /// Starts psql, connected to the database `postgres`.
  ///
  /// - Parameters:
  ///   - path: the path of the program.
  ///   - folder: the folder of the server's socket.
  ///   - port: the server's port.
  ///   - role: the role to connect as.
  init(_ path: String, folder: String, port: Int, role: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = [
      "-qXAt", "-v", "ON_ERROR_STOP=1", "-h", folder, "-p", "\(port)", "-U", role, "-d", "postgres",
    ]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    // Other child processes must not hold the pipes open.
    for handle in [input.fileHandleForWriting, output.fileHandleForReading] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    statements = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    try process.run()
  }

  /// Runs statements, and blocks the thread meanwhile.
  ///
  /// - Parameters:
  ///   - sql: the statements. No variable of psql may be part of them.
  ///   - database: the database to run them in. For another one than `postgres` there is a connection
  ///     for as long as they run.
  ///   - role: the role that psql was started for.
  /// - Returns: the rows.
  func run(_ sql: String, in database: String, as role: String) throws -> String {
    let isElsewhere = database != "postgres"
    let lines = [
      isElsewhere ? #"\connect "\#(database)" "\#(role)""# : nil, sql, ";",
      isElsewhere ? #"\connect postgres "\#(role)""# : nil, #"\echo '\#(Self.mark)'"#, "",
    ]
    do {
      try statements.write(contentsOf: Data(lines.compactMap(\.self).joined(separator: "\n").utf8))
    } catch {
      throw Failure(sql: sql)
    }
    let end = Data("\(Self.mark)\n".utf8)
    var answer = Data()
    while answer.suffix(end.count) != end {
      let piece = output.availableData
      if piece.isEmpty { throw Failure(sql: sql) }
      answer += piece
    }
    return String(decoding: answer.dropLast(end.count), as: UTF8.self)
      .trimmingCharacters(in: .newlines)
  }
}
