import OffersCore
import PostgresShim

/// An error of a connection or of the server, before it is told to users.
struct PostgresFailure: Error {
  /// The five characters of the SQL standard's code; nil if the connection failed.
  /// https://www.postgresql.org/docs/current/errcodes-appendix.html
  let sqlState: String?
  /// The message of the server or of libpq, in one line. Neither writes passwords.
  let message: String
  /// Whether the connection is lost, so that nothing more is known of its transaction.
  let isLost: Bool

  init(sqlState: String?, message: String, isLost: Bool) {
    self.sqlState = sqlState
    self.isLost = isLost
    let lines = message.split(whereSeparator: \.isNewline).map { line in
      line.trimmingPrefix(while: \.isWhitespace)
    }
    // libpq tells a failure and its advice in lines of their own.
    self.message = lines.reduce("") { message, line in
      if message.isEmpty { return String(line) }
      return message + (".?!:".contains(message.suffix(1)) ? " " : ". ") + line
    }
  }

  /// Whether the operation may succeed if it is run again: another transaction was in its way, or its
  /// statements will not be prepared by name any more.
  var isConflict: Bool { sqlState == "40001" || sqlState == "40P01" || isOfPreparedStatement }

  /// Whether the server did not know a prepared statement, or could not run it any more because the type of
  /// a column was changed.
  var isOfPreparedStatement: Bool { sqlState == "26000" || sqlState == "0A000" }

  /// Whether a statement does not fit the schema, or its values do not: another program may have changed it.
  var mayBeOfSchema: Bool {
    sqlState.map { state in ["22", "23", "42"].contains { state.hasPrefix($0) } } ?? false
  }

  /// Whether the lock timeout has passed.
  var isLockTimeout: Bool { sqlState == "55P03" }

  /// Whether a limit of connections is reached: that of the server, the role, the database or a pooler.
  var isConnectionLimit: Bool { sqlState == "53300" }

  /// Whether the server can only be read from: it is a standby, or was one when the program connected.
  var isReadOnly: Bool { sqlState == "25006" }

  /// Whether an operation may succeed on another connection, such as to the server that has taken over.
  var isOfConnection: Bool {
    isLost || isReadOnly || sqlState?.hasPrefix("08") == true || sqlState?.hasPrefix("57P0") == true
  }

  /// Translates an error of an operation; one that is not of the connection stays as it is.
  ///
  /// - Parameter mayBeStored: whether the connection was lost after the commit was sent and before it was
  ///   confirmed.
  static func translate(
    _ error: any Error, _ url: DatabaseURL, mayBeStored: Bool = false
  ) -> any Error {
    (error as? PostgresFailure).map { $0.error(about: url, mayBeStored: mayBeStored) } ?? error
  }

  private func error(about url: DatabaseURL, mayBeStored: Bool) -> OffersError {
    let sentence = message.last.map { ".?!".contains($0) } == true ? message : message + "."
    let cause = [sqlState, message].compactMap(\.self).joined(separator: " ")
    func storage(_ message: String, _ hint: String) -> OffersError {
      OffersError(.storageFailed, message, hint: hint, cause: cause)
    }
    func unreachable(_ message: String, _ hint: String) -> OffersError {
      OffersError(.storeUnreachable, message, hint: hint, cause: cause)
    }
    if mayBeStored {
      return unreachable(
        "The connection to \(url.description) was lost before the change was confirmed. "
          + "It may or may not have been stored.",
        "Repeat it when the database is reachable: that is safe.")
    }
    guard let sqlState else {
      return unreachable(
        "\(url.capitalized) cannot be reached: \(sentence)",
        "Nothing was changed. Check the address, and that the server runs and accepts connections.")
    }
    let place = url.description
    switch sqlState {
    case let state where state.hasPrefix("08"):
      return unreachable(
        "The connection to \(place) failed: \(sentence) Nothing was changed.",
        "Try again in a moment.")
    case "28000", "28P01":
      return storage(
        "\(url.capitalized) refused the user or the password: \(sentence)",
        "Check the user of the URL, and the password in it or in the file that PGPASSFILE names.")
    case "3D000":
      return storage("There is no such database: \(sentence)", "Create it, or correct the URL.")
    case "42501":
      return storage(
        "The user may not do this in \(place): \(sentence)",
        "Grant the user the right, or make it the owner of the database.")
    case "53100", "53200":
      return storage(
        "The server of \(place) is out of disk or memory: \(sentence) Nothing was changed.",
        "Make room on the server, then try again.")
    case "53300":
      return unreachable(
        "The server of \(place) accepts no more connections: \(sentence)",
        "Raise the limit (max_connections, or that of the role or the database), or put a pooler such as "
          + "pgbouncer in between.")
    case "55P03", "57014", "25P03":
      return storage(
        "\(url.capitalized) was busy for too long. Nothing was changed.",
        "Another program holds a lock, or the server is overloaded. Try again.")
    case "57P01", "57P02", "57P03", "57P05":
      return unreachable(
        "\(url.capitalized) is starting or stopping now: \(sentence) Nothing was changed.",
        "Try again in a moment.")
    case "25006":
      return unreachable(
        "\(url.capitalized) is read-only: \(sentence) Nothing was changed.",
        "It may be a standby, or its primary is changing. Name the primary in the URL. Commands that only "
          + "read can read from a standby with ?target_session_attrs=any.")
    case "22021", "22P05":
      return OffersError(
        .invalidRequest, "A text with the character U+0000 cannot be stored.", cause: cause)
    default:
      return storage(
        "\(url.capitalized) reported: \(sentence) Nothing was changed.",
        "Try again. If the error remains, look into the log of the server.")
    }
  }
}

extension DatabaseURL {
  /// The description at the beginning of a sentence.
  var capitalized: String { description.prefix(1).uppercased() + description.dropFirst() }
}

/// The functions of libpq, the client library of PostgreSQL.
///
/// The library is loaded when the first database is opened by a `postgres://` URL, and never linked:
/// programs start without it, and who keeps to SQLite does not need it.
struct PostgresLibrary: Sendable {
  let functions: offers_libpq

  private static let loaded = SharedLibrary.open("libpq", package: "libpq5") {
    offers_libpq_open(&$0)
  }

  /// Loads the library on the first call.
  ///
  /// - Throws: `OffersError` with `storageFailed` if it is not installed.
  static func load() throws -> PostgresLibrary { PostgresLibrary(functions: try loaded.get()) }
}
