import Foundation
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
  /// The URL with the hosts, their ports and the database alone.
  package let name: String
  /// The hosts of the URL; none for a socket.
  private let hosts: [String]
  /// How far libpq checks the server, as the URL says; nil if it does not.
  private let encryption: String?
  /// The URL without passwords, quoted for a shell, as an argument of programs such as `pg_dump`.
  let shellArgument: String

  /// Whether a text is a connection string of libpq (a URI, or keywords and values), valid or mistyped, rather
  /// than a path. Only valid URIs can be opened; the others are recognized so that no file is created and no
  /// message is printed whose name contains the password.
  package static func isConnectionString(_ text: String) -> Bool {
    if text.contains(/^\s*postgres(ql)?(:|\/\/)/.ignoresCase()) || hasPassword(text) { return true }
    if text.hasPrefix("./") || text.hasPrefix("../") { return false }
    // Keywords and values, or the host or the query of a URL without its scheme.
    return text.contains(
      /(^|[\s?&;])(host|hostaddr|port|dbname|user|(ssl)?password|passfile|service|sslmode)\s*=/)
      || text.contains(/^\s*(\/\/[^\/]*[.:@?]|[^\/\s:@]+:[0-9]+\/|[^\/\s]+@[^\/\s]+\/)/)
  }

  /// Whether a text has a user and a password as in a URL, but is none: `postgre:u:p@host`, `u:p@host/db`. The
  /// path of a file with such a name is recognized by `./` or `/` before it.
  private static func hasPassword(_ text: String) -> Bool {
    let text = text.drop { $0.isWhitespace }
    let isPath = text.prefixMatch(of: /\.{0,2}\/($|[^\/])/) != nil
    return !isPath && !text.contains("://") && text.contains(/[^:\/\s][^\/\s]*:[^@]*@/)
  }

  /// Parses a URL.
  ///
  /// - Throws: `OffersError` with `invalidRequest`, which repeats no part of an invalid URL, because
  ///   any part may be the password; `storageFailed` without libpq.
  package init(_ text: String) throws {
    let invalid = OffersError(
      .invalidRequest, "The address of the database is not a valid postgres:// URL.",
      hint: "An example is postgres://user@host:5432/database?sslmode=verify-full. "
        + "In its parts, write @ : / ? # % and spaces as %40 %3A %2F %3F %23 %25 %20. "
        + "Before the path of a file, write ./")
    let schemes = ["postgres://", "postgresql://"]
    guard schemes.contains(where: { text.hasPrefix($0) }), !text.utf8.contains(0) else {
      throw invalid
    }
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
    guard !Self.isMisread(text, values) else { throw invalid }
    self.text = text
    hosts = (values["host"] ?? values["hostaddr"] ?? "").split(scalar: ",").map(String.init)
    encryption = values["sslmode"]
    let host = Self.places(values) { host, port in
      port.isEmpty || host.hasPrefix("/") ? host : "\(host):\(port)"
    }
    let database = values["dbname"].map { "the PostgreSQL database \($0)" }
    description =
      (database ?? "the PostgreSQL database") + (host.isEmpty ? "" : " on \(host)")
    let place =
      Self.places(values) { host, port in
        let host = host.contains(":") ? "[\(host)]" : Self.escaped(host)
        return port.isEmpty ? host : "\(host):\(port)"
      } + (values["dbname"].map { "/" + Self.escaped($0) } ?? "")
    name = "postgres://" + place + (values["service"].map { "?service=" + Self.escaped($0) } ?? "")
    var others = values
    for keyword in ["host", "port", "dbname", "user", "password", "sslpassword"] {
      others[keyword] = nil
    }
    if values["host"] == nil { others["hostaddr"] = nil }
    let parameters = others.sorted { $0.key < $1.key }.map { "\($0.key)=" + Self.escaped($0.value) }
    let bare = "postgres://" + (values["user"].map { Self.escaped($0) + "@" } ?? "") + place
    shellArgument = parameters.isEmpty ? bare : "'\(bare)?\(parameters.joined(separator: "&"))'"
  }

  /// Whether libpq has probably read a part of a password as something else, because it has an
  /// unescaped `@` or `/`.
  private static func isMisread(_ text: String, _ values: [String: String]) -> Bool {
    // Behind the scheme and its two slashes.
    let rest = text.unicodeScalars.drop { $0 != "/" }.dropFirst(2)
    let authority = rest.prefix { $0 != "/" }
    let path = rest.dropFirst(authority.count).prefix { $0 != "?" }
    let isPort = (values["port"] ?? "").allSatisfy { $0.isASCII && ($0.isNumber || $0 == ",") }
    return !isPort || authority.count { $0 == "@" } > 1 || path.contains("@")
  }

  /// The hosts beyond this machine to which libpq connects without a check of who answers: by default it even
  /// sends the password unencrypted to a server that asks for it so.
  /// https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION
  ///
  /// - Parameter find: returns the value of an environment variable of libpq.
  func unprotectedHosts(
    _ find: (String) -> String? = EnvironmentVariable.find
  ) -> [String] {
    if (encryption ?? find("PGSSLMODE")) == "verify-full" { return [] }
    let named =
      hosts.isEmpty
      ? (find("PGHOST") ?? find("PGHOSTADDR") ?? "").split(scalar: ",").map(String.init) : hosts
    return named.filter { host in
      let isSocket = host.hasPrefix("/") || host.hasPrefix("@")
      let isHere =
        host == "localhost"
        || host.hasPrefix("127.") && host.allSatisfy { $0 == "." || $0.isNumber }
        || host == "::1"
      return !isSocket && !isHere
    }
  }

  /// A part of a URL, with percent-encoding.
  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", ".", "_", "~"]))
      ?? ""
  }

  /// The hosts with their ports, separated by commas; a socket is a path.
  private static func places(
    _ values: [String: String], _ text: (_ host: String, _ port: String) -> String
  ) -> String {
    let ports = (values["port"] ?? "").split(scalar: ",", omittingEmptySubsequences: false)
    let hosts = (values["host"] ?? values["hostaddr"] ?? "")
      .split(scalar: ",", omittingEmptySubsequences: false)
    return hosts.enumerated().map { index, host in
      let port = ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : ""
      return text(String(host), String(port))
    }.joined(separator: ",")
  }

  /// The keywords and values to connect with. A value of the URL overrides those before it.
  ///
  /// No setting of a session of the server is among them that a pooler between would refuse or forget: such as
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
