import OffersCore
import PostgresShim

/// The URL of a PostgreSQL database, in any of the forms that libpq accepts: several hosts, sockets,
/// `sslmode`, `target_session_attrs` and other parameters. What it leaves out comes from libpq's
/// environment variables and password file.
/// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING
package struct DatabaseURL: Sendable {
  /// The text, with the password if it has one. Never to be printed.
  let text: String
  /// The hosts and the database, for messages: never the password.
  package let description: String

  /// Whether a text is the URL of a PostgreSQL database, rather than a path.
  package static func isURL(_ text: String) -> Bool {
    text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
  }

  /// Parses a URL.
  ///
  /// - Throws: `OffersError` with `invalidRequest`, which repeats no part of an invalid URL, because
  ///   any part may be the password; `storageFailed` without libpq.
  package init(_ text: String) throws {
    let invalid = OffersError(
      .invalidRequest, "The address of the database is not a valid postgres:// URL.",
      hint: "An example is postgres://user@host:5432/database?sslmode=verify-full. "
        + "In its parts, write @ : / ? # % and spaces as %40 %3A %2F %3F %23 %25 %20.")
    guard Self.isURL(text), !text.utf8.contains(0) else { throw invalid }
    let library = try PostgresLibrary.load().functions
    guard let options = library.PQconninfoParse(text, nil) else { throw invalid }
    defer { library.PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        values[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    self.text = text
    description = Self.describe(values)
  }

  private static func describe(_ values: [String: String]) -> String {
    let ports = (values["port"] ?? "").split(scalar: ",", omittingEmptySubsequences: false)
    let hosts = (values["host"] ?? values["hostaddr"] ?? "")
      .split(scalar: ",", omittingEmptySubsequences: false)
    let places = hosts.enumerated().map { index, host in
      let port = ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : ""
      return port.isEmpty || host.hasPrefix("/") ? String(host) : "\(host):\(port)"
    }
    let host = places.joined(separator: ",")
    let name = values["dbname"].map { "the PostgreSQL database \($0)" }
    return (name ?? "the PostgreSQL database") + (host.isEmpty ? "" : " on \(host)")
  }

  /// The keywords and values to connect with. A value of the URL overrides those before it.
  ///
  /// No setting of the session is among them that a pooler between would refuse or forget: such as
  /// `options`. Transactions set what they need.
  var connectionParameters: [(keyword: String, value: String)] {
    [
      ("connect_timeout", "5"), ("tcp_user_timeout", "15000"), ("keepalives_idle", "15"),
      ("keepalives_interval", "5"), ("keepalives_count", "3"),
      ("target_session_attrs", "read-write"), ("fallback_application_name", "offers"),
      ("dbname", text), ("client_encoding", "UTF8"),
    ]
  }
}
