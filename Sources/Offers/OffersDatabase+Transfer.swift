public import Foundation
public import OffersCore
internal import OffersFeeds
internal import OffersSQLite
public import OffersStore
internal import OffersSync

extension OffersDatabase {
  /// Exports the data as one JSON document: the feeds with the sources that a user chose, all offers
  /// with their times, the history of changes, and the data of users: favorites, recent searches,
  /// read marks, watches and channels. It lacks what can be fetched again, such as images, notices,
  /// channels that run a program or name a variable of the environment, and all passphrases, sessions,
  /// tokens and secrets of channels.
  ///
  /// The document is one consistent state of the database. It is written to a temporary file in the
  /// same folder with mode 0600, synced, and renamed, so that readers of the file see either the old
  /// or the new document. On an error the file is as before, and no temporary file is left.
  ///
  /// - Parameters:
  ///   - file: a file URL. An existing regular file is replaced, also behind a symbolic link.
  ///   - favoritesOnly: whether to export only the favorites, with their feeds and their history.
  ///   - allUsers: whether to export the data of all users, instead of that of the user of this
  ///     database (see `bound(to:)`).
  /// - Returns: the numbers of records and of bytes that were written.
  /// - Throws: `OffersError`: `invalidRequest` if `file` is no file URL, names a database, a file
  ///   that belongs to one, or something other than a regular file, or if this database is closed;
  ///   `storageFailed` if the file cannot be written or this database is damaged.
  ///   `cancelled` if the task is cancelled.
  @discardableResult
  public func export(
    to file: URL, favoritesOnly: Bool = false, allUsers: Bool = false
  ) async throws(OffersError) -> ExportSummary {
    let path = try Self.filePath(of: file)
    return try await replace(path) {
      if try self.file.backupTarget(path).isDatabase {
        throw OffersError(
          .invalidRequest, "\(path) is a database. It was left untouched.",
          hint: "Name another file. To copy a database, back it up.")
      }
    } by: { document in
      try await self.export(favoritesOnly: favoritesOnly, allUsers: allUsers) { records in
        try ExportSummary(writing: document.append) { add in
          try records.forEachRecord(add)
        }
      }
    }
  }

  /// Imports an export in one transaction. A feed that the database has never read is taken whole, with its
  /// offers, changes and sync runs; so a new database exports the same bytes again. Of a feed that it has
  /// read, only a named source is taken, if it has none: the summary counts what was left. Favorites and
  /// users are added, and no favorite is removed. Importing twice has no further effect.
  ///
  /// The data of a document with one user, or of one that names none, goes to the user of this
  /// database (see `bound(to:)`). The data of several users goes to the users of the same names,
  /// without regard to case. A missing one is added: with the role in the document, an admin as a
  /// member. Roles stay as they are. The owner of the document is the owner here also under another
  /// name if one of the two was never renamed; the owner of a new database gets that name.
  ///
  /// Watches are added unless the user has the same, and tell of nothing that is here already.
  /// Channels are added only with `acceptsSources`, and lack their secrets.
  ///
  /// The file is read to its end before anything is written, so an invalid one changes nothing. A
  /// pipe is stored in a temporary file meanwhile, at most 8 GiB.
  ///
  /// - Parameters:
  ///   - file: the URL of a file that `export(to:favoritesOnly:allUsers:)` has written.
  ///   - acceptsSources: whether the user accepts the document's sources and definitions as their own.
  ///     Otherwise the definitions are left out, and
  ///     a source that is a file or in a private network is left out; one that has a variable or
  ///     cannot be read always is. The summary tells which and why. A feed without its source is
  ///     read from that of its definition.
  /// - Returns: the numbers of records that were added and left, the sources, and the users.
  /// - Throws: `OffersError`, and then nothing was changed: `notFound` or `sourceFailed` if the file
  ///   cannot be read; `malformedFeed`, `unexpectedShape` or `newerDatabase` if it is no export, is
  ///   incomplete, or is of a newer version; `limitExceeded` for a record of more than 256 MiB;
  ///   `invalidRequest` if `file` is no file URL, the document has several users and this is not the
  ///   owner's database, or the database is closed or read-only; `locked` if a sync of one of the
  ///   feeds does not end within 5 seconds;
  ///   `storageFailed`. `cancelled` if the task is cancelled before the write begins.
  @discardableResult
  public func importRecords(
    from file: URL, acceptsSources: Bool = false
  ) async throws(OffersError) -> ImportSummary {
    let path = try Self.filePath(of: file)
    let folder = temporaryFolder
    return try await OffersError.translating {
      try Task.checkCancellation()
      let (source, feeds) = try await OwnThread.run {
        let source = try ImportFile(path, folder: folder)
        return (source, try ImportedFeeds(of: source))
      }
      try Task.checkCancellation()
      return try await importRecords(
        from: source, feeds: feeds.names, acceptsDefinitions: acceptsSources,
        reader: FilterTextParser(),
        review: { ImportedFeedSource.review($0, isAccepting: acceptsSources) })
    }
  }
}

extension OffersDatabase {
  /// Copies a consistent snapshot of the database into one file, also while it is being written.
  ///
  /// The copy is checked before it gets its name. It is written to a temporary file in the same
  /// folder with mode 0600, synced, and renamed. On an error the file is as before, and no temporary
  /// file is left.
  ///
  /// - Parameter file: a file URL. An empty file is replaced, and an older backup without a lock
  ///   file, a log or a journal beside it; a backup that was once opened for writing keeps its lock
  ///   file. Any other file is refused.
  /// - Throws: `OffersError`: `invalidRequest` if `file` is no file URL, or names a file that is not
  ///   replaced, or if this database is closed;
  ///   `storageFailed` if the file cannot be written or this database is damaged.
  ///   `cancelled` if the task is cancelled.
  public func backUp(to file: URL) async throws(OffersError) {
    let path = try Self.filePath(of: file)
    let isNew = !SQLitePlace(unchecked: path).exists
    try await replace(path, isNew: isNew) {
      if let message = try self.file.backupTarget(path).refusal(of: path) {
        throw OffersError(.invalidRequest, message, hint: "Name another file.")
      }
    } by: {
      try await self.file.backUp(to: $0.temporaryPath)
    }
  }

  /// Restores a backup, in place of a database that no program has open.
  ///
  /// The backup is copied and the copy is checked first. The files of the old database, with its log
  /// and journal, then go aside under a dated name in the same folder, and the copy gets the name of
  /// the database. A kill or a power cut at any point leaves either the old database, or the new one:
  /// once the copy is complete, the next opening of the database ends what is left to do. A backup
  /// with an older schema is migrated when the database is opened.
  ///
  /// - Parameters:
  ///   - file: the URL of a backup, or of any closed database of this program. It stays as it is.
  ///   - path: the database, which need not exist.
  /// - Returns: the path of the old database; nil if there was none.
  /// - Throws: `OffersError`, and then nothing was changed: `invalidRequest` if `file` is no file URL
  ///   or is the database itself; `notFound` if there is no such file; `newerDatabase` if a newer
  ///   program wrote it; `locked` if a program has the database open; `storageFailed` if the file is
  ///   not a database of this program or is damaged, or if the copy cannot be written.
  ///   `cancelled` if the task is cancelled while it waits.
  @discardableResult
  public static func restore(
    from file: URL, to path: String
  ) async throws(OffersError) -> String? {
    try await OffersError.translating {
      try await SQLitePlace(path: path).restore(from: filePath(of: file)).aside
    }
  }
}

extension OffersDatabase {
  /// The engine of the database. An app opens no other than one of SQLite.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a database on a server.
  private var file: SQLiteEngine {
    get throws {
      if let file = engine as? SQLiteEngine { return file }
      throw OffersError(.invalidRequest, "\(place) is a database on a server, not a file.")
    }
  }

  /// Creates a file under a temporary name, has it written, and gives it its name.
  ///
  /// - Parameters:
  ///   - path: the final path.
  ///   - isNew: whether a file that has got the name in the meantime is refused.
  ///   - check: throws if the file at the path may not be replaced. It is called before the work and
  ///     after it.
  ///   - write: writes the contents.
  private func replace<Result: Sendable>(
    _ path: String, isNew: Bool = false, checking check: @escaping @Sendable () throws -> Void,
    by write: (AtomicFile) async throws -> Result
  ) async throws(OffersError) -> Result {
    try OffersError.checkCancellation()
    let file = try await OffersError.translating {
      try await OwnThread.run {
        try check()
        return try AtomicFile(
          replacing: path, hint: "Check the folder, its permissions and its free space.")
      }
    }
    do {
      let result = try await write(file)
      try Task.checkCancellation()
      try await OwnThread.run {
        try check()
        try file.commit(isPrivate: true, isNew: isNew)
      }
      return result
    } catch {
      // The file may be released only later, since the database may still hold the closure.
      file.discard()
      throw OffersError(error)
    }
  }
}
