import OffersCore
import OffersSync

/// Copies a store to an empty one by way of an export in a temporary file.
///
/// The export is imported in one transaction, and the logins, which no export contains, in another
/// one. A run that was interrupted in between is continued by the next one, which finds a target that
/// says what the source says, and has no other logins.
struct Migration {
  struct Result: Sendable {
    /// The contents of the export.
    let document: ExportSummary
    /// Whether the target had all of it before.
    let wasThere: Bool
    /// Whether the export of the target was compared with that of the source.
    let isVerified: Bool
  }

  let source: any OffersStorage
  let target: any OffersStorage
  /// The folder for the temporary file.
  let folder: String

  /// Copies the data, unless the target has all of it, and the logins.
  ///
  /// - Parameter verifies: whether to compare an export of the target with that of the source.
  /// - Throws: `OffersError`: `invalidRequest` for a target with other data or logins, `storageFailed` if the
  ///   target differs after the copy, otherwise as the export and the import.
  func run(verifies: Bool, _ bar: ProgressBar) async throws -> Result {
    let spool = try SpoolFile(folder: folder)
    let (document, hash) = try await Self.export(source, bar, "read") { try spool.append($0) }
    let isNew = try await isTargetNew()
    if isNew {
      let file = ImportFile(spool, bytes: document.bytes) { bar.show("write", bytes: $0, of: $1) }
      let feeds = try ImportedFeeds(of: file)
      let sources = try await namedSources(of: feeds.names)
      _ = try await target.importRecords(
        from: file, feeds: feeds.names, trustsRoles: true, acceptsDefinitions: true
      ) { imported in
        imported.map { ImportedFeedSource(feed: $0.feed, text: $0.text, origin: sources[$0.feed]) }
      }
    }
    if verifies || !isNew {
      let copy = try await Self.export(target, bar, "verify") { _ in }
      guard copy == (document, hash) else { throw difference(isNew: isNew) }
    }
    let logins = try await source.fetchLogins()
    if !isNew {
      let known = Dictionary(uniqueKeysWithValues: logins.map { ($0.name, $0) })
      let others = try await target.fetchLogins().filter { known[$0.name]?.includes($0) != true }
      guard others.isEmpty else { throw otherLogins(of: others.map(\.name)) }
    }
    try await target.putLogins(logins)
    return Result(document: document, wasThere: !isNew, isVerified: verifies || !isNew)
  }

  /// Whether the target has no data, no definitions, and no user but its owner.
  private func isTargetNew() async throws -> Bool {
    let counts = try await target.countEverything()
    guard counts == StoreCounts(offers: 0, favorites: 0, changes: 0, runs: 0) else { return false }
    guard try await target.fetchDefinitions().isEmpty else { return false }
    return try await target.fetchUsers().count == 1
  }

  /// The origins of the sources that users named; the same trust goes on in the target.
  private func namedSources(of feeds: [String]) async throws -> [String: SourceOrigin] {
    var origins: [String: SourceOrigin] = [:]
    for feed in feeds {
      origins[feed] = try await source.findSyncState(of: feed)?.source?.origin ?? .remote
    }
    return origins
  }

  private func difference(isNew: Bool) -> OffersError {
    if isNew {
      return OffersError(
        .storageFailed, "The copy in \(target.place) differs from the source.",
        hint: "Keep the source, and report this: it is a fault of the program.")
    }
    return OffersError(
      .invalidRequest, "\(target.place) has other data than the source.",
      hint: "Nothing was changed. Name an empty database. To add it to another database: "
        + "offers export --all-users, then offers import")
  }

  /// The error for a target that has passphrases, API tokens or identities that the source does not have.
  private func otherLogins(of users: [String]) -> OffersError {
    OffersError(
      .invalidRequest,
      "\(target.place) has other logins than the source, of \(users.joined(separator: ", ")).",
      hint:
        "Nothing was changed. Name an empty database, or remove there the passphrases, API tokens and "
        + "connections that the source does not have.")
  }

  /// Exports a store.
  ///
  /// - Returns: also the hash of the export, by which two exports are compared.
  private static func export(
    _ store: any OffersStorage, _ bar: ProgressBar, _ work: String,
    _ append: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
  ) async throws -> (ExportSummary, hash: [UInt8]) {
    try await store.export(favoritesOnly: false, allUsers: true) { records in
      let total = try records.countRecords() ?? 0
      var hash = DocumentHash()
      let summary = try ExportSummary(
        writing: { piece in
          hash.update(piece)
          try append(piece)
        },
        progress: { if $0 % 1000 == 0 { bar.show(work, records: $0, of: total) } }
      ) { add in
        try records.forEachRecord(add)
      }
      return (summary, hash.finish())
    }
  }
}
