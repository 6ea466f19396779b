import Glibc
import OffersCore
import OffersFeeds

/// The environment variables that a scheduled sync depends on.
enum ScheduleVariables {
  private static let paths = [
    "OFFERS_DATABASE", "OFFERS_CONFIG", "SSL_CERT_FILE", "PGPASSFILE", "PGSERVICEFILE",
  ]
  /// HOME is included, because it determines default paths and may differ in cron or systemd.
  private static let others = [
    "HOME", "OFFERS_USER", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TZ", "https_proxy", "HTTPS_PROXY",
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
  ///
  /// - Parameters:
  ///   - databaseOption: the value of `--database`, which overrides that of `OFFERS_DATABASE`.
  ///   - configOption: the value of `--config`, which overrides that of `OFFERS_CONFIG`.
  ///   - stored: the definitions that the database keeps.
  /// - Throws: `OffersError` for definitions that cannot be read.
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
  /// - Parameters:
  ///   - definition: the definition of the feed.
  ///   - hasNamedSource: whether a user named a source, so that the definition's is not read.
  static func names(neededBy definition: FeedDefinition, hasNamedSource: Bool) -> Set<String> {
    Set(names(in: [hasNamedSource ? nil : definition.source] + definition.headers.map(\.value)))
  }

  private static func names(in templates: [Template?]) -> [String] {
    templates.compactMap(\.self).flatMap(\.parts).compactMap {
      if case .environment(let name) = $0 { name } else { nil }
    }
  }
}
