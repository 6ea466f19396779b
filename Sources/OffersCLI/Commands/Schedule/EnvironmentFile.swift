import Glibc
import OffersCore
import OffersFeeds
import OffersSync

/// A file of environment variables with mode 0600.
///
/// Each line is `NAME=value`. The value is everything after the first equals sign, without quoting,
/// escapes or expansion. Empty lines and lines that begin with `#` are ignored.
struct EnvironmentFile {
  struct Variable: Equatable {
    let name: String
    let value: String
  }

  let path: String

  /// The maximum size of the file in bytes, which is far more than the variables need.
  private static let limitBytes = 1 << 20

  /// The file with the variables of the scheduled syncs.
  static func ofSchedule() throws -> EnvironmentFile {
    EnvironmentFile(path: try SettingPath.configurationFolder() + "/offers/schedule.env")
  }

  /// Atomically replaces the content of the file by the given variables.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an invalid name, or a value that contains a
  ///   line feed; otherwise as `AtomicFile.write`.
  func write(_ variables: [Variable]) throws {
    var text = "# Variables of the scheduled syncs: offers schedule install\n"
    for variable in variables {
      guard Self.isName(variable.name) else {
        throw OffersError(
          .invalidRequest, "“\(variable.name)” is not a name of a variable.",
          hint: "A name has letters, digits and _ and does not begin with a digit.")
      }
      guard !variable.value.utf8.contains(0x0A) else {
        throw OffersError(
          .invalidRequest, "The value of \(variable.name) contains a line end.",
          hint: "Nothing was installed. Set it to a value of one line, or unset it.")
      }
      text += "\(variable.name)=\(variable.value)\n"
    }
    try AtomicFile.write(text, to: path, isPrivate: true)
  }

  /// The variables in their order; nil if the file does not exist.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a file that cannot be read, that another
  ///   user owns or that grants others any permission, and for malformed content. No message
  ///   contains a value.
  func read() throws -> [Variable]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw refusal("could not be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      throw refusal("is not a regular file")
    }
    guard information.st_uid == geteuid(), information.st_mode & 0o077 == 0 else {
      throw refusal("may be read or changed by others")
    }
    guard information.st_size <= Self.limitBytes else { throw refusal("is too large") }
    var bytes = [UInt8](repeating: 0, count: Int(information.st_size))
    let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count, let text = String(validating: bytes, as: UTF8.self),
      !bytes.contains(0)
    else { throw refusal("is not UTF-8") }
    return try text.split(scalar: "\n").compactMap { line in
      if line.utf8.first == UInt8(ascii: "#") { return nil }
      guard let end = line.utf8.firstIndex(of: UInt8(ascii: "=")),
        Self.isName(String(line[..<end]))
      else { throw refusal("has a line that is not NAME=value") }
      return Variable(
        name: String(line[..<end]), value: String(Substring(line.utf8[end...].dropFirst())))
    }
  }

  private func refusal(_ reason: String) -> OffersError {
    OffersError(
      .invalidRequest, "\(path) \(reason).", hint: "Create it again: offers schedule install")
  }

  /// Whether a text is a valid name of a variable: ASCII letters, digits and underscores, and no
  /// digit at the beginning.
  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy {
      ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "_")
    }
  }
}

/// The environment variables that a scheduled sync depends on.
enum ScheduleVariables {
  private static let paths = [
    "OFFERS_DATABASE", "OFFERS_CONFIG", "OFFERS_SECRETS", "SSL_CERT_FILE", "PGPASSFILE",
    "PGSERVICEFILE",
  ]
  /// HOME is included, because it determines default paths and may differ in cron or systemd.
  private static let others = [
    "HOME", "OFFERS_USER", "OFFERS_PAGES", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TZ", "https_proxy",
    "HTTPS_PROXY",
    "http_proxy",
    "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    // libpq's connection parameters: https://www.postgresql.org/docs/current/libpq-envars.html
    "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGSERVICE",
    "PGSYSCONFDIR", "PGTARGETSESSIONATTRS", "PGCONNECT_TIMEOUT", "PGSSLMODE", "PGSSLROOTCERT",
    "PGSSLCERT", "PGSSLKEY", "PGSSLCRL", "PGCHANNELBINDING", "PGGSSENCMODE", "PGKRBSRVNAME",
  ]

  /// The variables that are set and not empty, with their current values. The values of those in
  /// `paths` are made absolute, because the sync runs in another working directory; the URL of a
  /// database stays as it is.
  static func collect(
    databaseOption: String?, configOption: String?, _ stored: [StoredDefinition]
  ) throws -> [EnvironmentFile.Variable] {
    let options = ["OFFERS_DATABASE": databaseOption, "OFFERS_CONFIG": configOption]
    let definitions = try ConfigurationOptions.path(named: configOption).load().including(stored)
    let named = try names(in: definitions)
    var found: [EnvironmentFile.Variable] = []
    for name in paths + others + named.sorted() where !found.contains(where: { $0.name == name }) {
      let option = options[name] ?? nil
      guard let value = option ?? ProcessContext.variable(name), !value.isEmpty else { continue }
      let isPath = paths.contains(name) && !value.contains("://")
      found.append(.init(name: name, value: isPath ? SettingPath.absolute(value) : value))
    }
    return found
  }

  /// The names of the variables that definitions use in their sources, search URLs and headers.
  private static func names(in definitions: FeedConfiguration) throws -> [String] {
    try definitions.names.compactMap { try definitions.find($0) }.flatMap { definition in
      names(in: [definition.source, definition.search] + definition.headers.map(\.value))
    }
  }

  /// The names of the variables without which a sync of a feed fails.
  ///
  /// - Parameter hasNamedSource: whether a user named a source, so that the definition's is not read.
  static func names(neededBy definition: FeedDefinition, hasNamedSource: Bool) -> Set<String> {
    Set(names(in: [hasNamedSource ? nil : definition.source] + definition.headers.map(\.value)))
  }

  private static func names(in templates: [Template?]) -> [String] {
    templates.compactMap(\.self).flatMap(\.parts).compactMap {
      if case .environment(let name) = $0 { name } else { nil }
    }
  }
}
