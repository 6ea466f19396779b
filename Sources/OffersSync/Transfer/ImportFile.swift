import Foundation
import OffersCore
import OffersFeeds
import OffersPlatform
import Synchronization

/// An export that can be read repeatedly. The content of a pipe is stored in an unnamed temporary
/// file during the first pass.
package final class ImportFile: ExportRecordSource {
  /// The name of the file in messages.
  package let name: String
  /// The opened file; -1 if `spool` has all of the export from the start.
  private let descriptor: Int32
  /// The temporary file for the content of a pipe, or with all of the export; nil for a regular file.
  private let spool: SpoolFile?
  private let limitBytes: Int
  /// The size of the file in bytes; 0 for a pipe.
  private let sizeBytes: Int
  private let progress: @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void
  /// The number of passes that were begun.
  private let passes = Atomic(0)
  /// The expected number of passes, for the progress: the first collects the feeds and sources, the
  /// second imports the records.
  private static let usualPasses = 2

  /// The maximum number of bytes from a pipe, which may be endless.
  package static let usualLimitBytes = 8 << 30

  /// - Parameters:
  ///   - path: the file, or `-` for standard input.
  ///   - folder: the folder for the content of a pipe.
  ///   - limitBytes: the maximum number of bytes from a pipe.
  ///   - progress: receives the number of bytes that have been read in all passes, and the expected
  ///     total, which is 0 for a pipe.
  /// - Throws: `OffersError` with `notFound` or `sourceFailed` if the file cannot be opened.
  package init(
    _ path: String, folder: String, limitBytes: Int = usualLimitBytes,
    progress: @escaping @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void = { _, _ in }
  ) throws {
    self.progress = progress
    self.limitBytes = limitBytes
    name = path == "-" ? "Standard input" : path
    descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileDocument.openingFailure(path, .last("open")) }
    // A file without a status is read like a pipe.
    if let status = try? FileStatus(of: descriptor), status.isRegular {
      sizeBytes = status.bytes
      spool = nil
      return
    }
    sizeBytes = 0
    spool = try SpoolFile(folder: folder)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// An export that a temporary file holds.
  ///
  /// - Parameter progress: as of the other initializer.
  package init(
    _ spool: SpoolFile, bytes: Int,
    progress: @escaping @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void = { _, _ in }
  ) {
    self.progress = progress
    self.spool = spool
    limitBytes = bytes
    sizeBytes = bytes
    name = "The export"
    descriptor = -1
  }

  package func forEachRecord(_ body: (ExportRecord) throws -> Void) throws {
    try withoutActuallyEscaping(body) { body in
      let reader = ExportReader(name: name, body)
      let pass = passes.add(1, ordering: .relaxed).oldValue
      let total = Self.usualPasses * sizeBytes
      var done = pass % Self.usualPasses * sizeBytes
      func consume(_ piece: UnsafeRawBufferPointer) throws {
        try reader.consume(piece)
        done += piece.count
        progress(done, total)
      }
      if let spool, pass > 0 || descriptor < 0 {
        try spool.forEachPiece(consume)
      } else {
        if spool == nil { lseek(descriptor, 0, SEEK_SET) }
        var read = 0
        try FileDocument.forEachPiece(of: descriptor, named: name) { piece in
          // Parsed while it arrives, so that an endless stream that is not an export is refused
          // early.
          try consume(piece)
          guard let spool else { return }
          read += piece.count
          if read > limitBytes { throw tooLarge }
          try spool.append(piece)
        }
      }
      try reader.finish()
    }
  }

  private var tooLarge: OffersError {
    OffersError(
      .limitExceeded, "\(name) has more than \(Units.size(limitBytes)).",
      hint: "Nothing was changed. If it is an export, save it to a file, and import the file.")
  }
}

/// The feeds and users of an export that is to be imported.
package struct ImportedFeeds: Sendable {
  /// The names, in the document's order.
  package private(set) var names: [String] = []
  /// The names of the users, in the document's order; empty for a document of version 1.
  package private(set) var users: [String] = []

  /// Reads an export to its end, so that an invalid one is refused before a database is opened.
  ///
  /// - Parameter source: the records of the document, which are read once to their end.
  /// - Throws: the errors of `ExportReader`.
  package init(of source: any ExportRecordSource) throws {
    try source.forEachRecord { record in
      if case .user(let user) = record { users.append(user.name) }
      if case .feed(let feed) = record { names.append(feed.name) }
    }
  }
}
