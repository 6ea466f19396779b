import OffersCore

extension OffersDatabase {
  /// Opens a new database in memory, without feeds and offers.
  ///
  /// It has the tables and statements of a file, but one connection, on which reads and writes take
  /// turns. It has no `maintenance`.
  ///
  /// - Parameter definitions: the definitions of feeds; nil if the caller handles unknown feeds itself.
  package static func inMemory(
    definitions: (any FeedDefinitions)?
  ) async throws -> OffersDatabase {
    try SQLiteLibrary.check()
    try Task.checkCancellation()
    do {
      let writer = try await BlockingWork.run { try WritingConnection.openInMemory() }
      return OffersDatabase(
        path: writer.file.path, file: writer.file, reader: writer.makeReader(), writer: writer,
        definitions: definitions)
    } catch {
      throw StorageFailure.translate(error, path: DatabaseFile.memoryPath)
    }
  }
}
