import Foundation
import GRDB
import OffersCore
import OffersPlatform

extension DatabaseFile {
  /// The kind of file, by its header.
  enum Header: Equatable {
    case missing
    /// A file of zero bytes.
    case empty
    /// A database of this program, with its schema version. It is ready if it is in WAL mode and
    /// has no rollback journal. An older version that was killed during a large import left a
    /// database in another mode; it must first be opened by a connection that can write.
    case ours(version: Int, isReady: Bool)
    /// An SQLite file without a schema, an application id and a user version.
    case blank
    case foreign
  }

  /// The file of a path, with its links resolved, and its header.
  ///
  /// - Throws: `OffersError` for a file that must not be opened, which stays untouched.
  static func find(_ path: String) throws -> (file: DatabaseFile, header: Header) {
    let file = DatabaseFile(path: resolve(path))
    let header = try file.readHeader()
    try file.check(header)
    try file.checkJournal(header)
    return (file, header)
  }

  /// Refuses a database in WAL mode beside which there is a rollback journal of another file or of
  /// another state of it: SQLite would roll the complete database back to that state, or empty it.
  ///
  /// Only a switch to WAL that was interrupted leaves a journal beside such a file. That journal
  /// changes no size.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  private func checkJournal(_ header: Header) throws {
    guard case .ours(_, isReady: false) = header else { return }
    var start = [UInt8](repeating: 0, count: Offset.end)
    // A file that cannot be read is reported when it is opened.
    guard readStart(into: &start) == nil, start[Offset.writeVersion] == Self.withLog,
      let pageCount = findJournalPages()
    else { return }
    let pageBytes = Int(start[16]) << 8 | Int(start[17])
    if pageCount * (pageBytes == 1 ? 65_536 : pageBytes) == bytes { return }
    throw OffersError(
      .storageFailed,
      "\(path)-journal belongs to another file than \(path), or to another state of it. With it, "
        + "the database would lose what it has. Nothing was changed.",
      hint: "Move \(path)-journal away, then try again.")
  }

  /// The reason why a header could not be read.
  struct HeaderFailure: Error {
    /// The value of `errno`; nil for something other than a regular file.
    let number: Int32?

    /// Whether the path names something that this program cannot have written: a folder, a pipe, or
    /// a file that this user may not read.
    var isOfAnother: Bool { number.map { [EACCES, EPERM].contains($0) } ?? true }
  }

  /// Reads the header only, so that another program's file stays untouched.
  ///
  /// - Throws: `OffersError` with `storageFailed` and the system's reason.
  func readHeader() throws -> Header {
    do {
      return try findHeader()
    } catch {
      throw unreadable(error)
    }
  }

  func findHeader() throws(HeaderFailure) -> Header {
    let status: FileStatus
    do {
      guard let found = try FileStatus.find(path) else { return .missing }
      status = found
    } catch {
      throw HeaderFailure(number: error.number)
    }
    // Only a regular file is opened, because opening a pipe would block.
    guard status.isRegular else { throw HeaderFailure(number: nil) }
    var bytes = [UInt8](repeating: 0, count: Offset.end)
    if let number = readStart(into: &bytes) { throw HeaderFailure(number: number) }
    if status.bytes == 0 { return .empty }
    guard status.bytes >= bytes.count, bytes.starts(with: Array("SQLite format 3\0".utf8))
    else {
      return isHalfMade(bytes) ? .blank : .foreign
    }
    func number(at offset: Int) -> Int32 {
      bytes[offset..<offset + 4].reduce(Int32(0)) { $0 << 8 | Int32($1) }
    }
    let version = Int(number(at: Offset.userVersion))
    let owner = number(at: Offset.applicationID)
    if owner == Self.applicationID {
      let isReady = bytes[Offset.writeVersion] == Self.withLog && !hasRollbackJournal
      return .ours(version: version, isReady: isReady)
    }
    // A process that died before the first migration leaves neither application id nor schema.
    return owner == 0 && version == 0 && number(at: Offset.schemaCookie) == 0 ? .blank : .foreign
  }

  /// Byte offsets in the header: https://sqlite.org/fileformat2.html#the_database_header
  enum Offset {
    static let writeVersion = 18
    static let schemaCookie = 40
    static let userVersion = 60
    static let applicationID = 68
    static let end = 100
  }

  /// The write version of a file in WAL mode.
  static let withLog: UInt8 = 2

  /// Whether there is a rollback journal beside the file, left by a killed write of an older
  /// version or of another program.
  private var hasRollbackJournal: Bool { FileAccess.exists(path + "-journal") }

  /// Whether a power cut has left a file of which only a later part was written: its start is zeros,
  /// and there is the journal that empties it.
  private func isHalfMade(_ start: [UInt8]) -> Bool {
    start.allSatisfy { $0 == 0 } && findJournalPages() == 0
  }

  /// The size in pages that the rollback journal restores; nil if there is no journal that SQLite
  /// would roll back. https://sqlite.org/fileformat2.html#the_rollback_journal
  private func findJournalPages() -> Int? {
    var header = [UInt8](repeating: 0, count: Offset.end)
    guard DatabaseFile(path: path + "-journal").readStart(into: &header) == nil,
      header.starts(with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    else { return nil }
    return header[16..<20].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads the file's first bytes, filled up with zeros.
  ///
  /// - Returns: the value of `errno` if the file could not be read; nil if it was.
  private func readStart(into bytes: inout [UInt8]) -> Int32? {
    bytes.withUnsafeMutableBytes { buffer in
      Self.reading(path) { read in read(buffer, 0) }
    }
  }

  func unreadable(_ failure: HeaderFailure) -> OffersError {
    let reason =
      switch failure.number {
      case nil: "It is not a regular file"
      case 0?: "It is not a readable file"
      case let number?: FileErrorAdvice.text(of: number)
      }
    return OffersError(
      .storageFailed, "Could not open the database \(path): \(reason).",
      advice: FileErrorAdvice.advice(
        on: failure.number ?? 0,
        otherwise: .chooseDatabase("Check its permissions, or name another.")))
  }
}
