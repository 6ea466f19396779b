import Glibc
import OffersCore
import OffersFeeds
import OffersPlatform
import OffersStore
import OffersSync

enum TextFile {
  /// The content of a file; nil if it does not exist.
  ///
  /// - Throws: `OffersError` with `limitExceeded` for a file over `DefinitionFile.limitBytes`,
  ///   `invalidRequest` for text that is not UTF-8, `storageFailed` if it cannot be read.
  static func read(_ path: String) throws -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure(path)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw failure(path)
      }
      if count == 0 { break }
      bytes += piece[..<count]
      if bytes.count > DefinitionFile.limitBytes {
        throw OffersError(
          .limitExceeded, "\(path) is larger than \(DefinitionFile.limitBytes >> 20) MiB.",
          hint: DefinitionFile.sizeHint)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw OffersError(
        .invalidRequest, "\(path):\(line(ofBadTextIn: bytes)): the text is not UTF-8.",
        hint: "Save the file as UTF-8: other editors and encodings would damage it.")
    }
    return text
  }

  /// The number of the first line that is not valid UTF-8.
  private static func line(ofBadTextIn bytes: [UInt8]) -> Int {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    let bad = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
    return (bad ?? 0) + 1
  }

  private static func failure(_ path: String) -> OffersError {
    OffersError(
      .storageFailed, "Could not read \(path): \(String(cString: strerror(errno))).",
      hint: "Check its permissions, or name another with --config.")
  }
}

/// Every file that a command writes for the user is written by this class, apart from databases. An
/// interrupted program removes the temporary file.
extension AtomicFile {
  /// Creates a file whose temporary file an interrupted program removes.
  convenience init(watched path: String, isPublic: Bool = false, hint: String) throws {
    try self.init(
      replacing: path, isPublic: isPublic, hint: hint, interruption: InterruptionWatch.init)
  }

  /// Creates the file for the `--output` option of a command.
  ///
  /// - Parameters:
  ///   - isPublic: whether a new file gets the usual permissions, 0666 less the umask, instead of 0600.
  ///   - database: the database that the command uses. It is not replaced, nor is another database of
  ///     this program, a companion file of a database, or a file beside which there is a log or journal.
  /// - Throws: `OffersError` with `invalidRequest` for a database, otherwise as
  ///   `init(watched:isPublic:hint:)`.
  convenience init(
    output: String, isPublic: Bool = false, beside database: OffersDatabase
  ) throws {
    if try database.maintenance?.backupTarget(output).isDatabase == true {
      throw OffersError(
        .invalidRequest, "\(output) is a database. It was left untouched.",
        hint: "Name another file. To copy a database: offers backup FILE")
    }
    try self.init(
      watched: output, isPublic: isPublic,
      hint: "Check the folder, its permissions and its free space.")
  }

  /// Atomically replaces the content of a file by a text. Missing folders are created.
  ///
  ///   - isPrivate: whether its mode is 0600 even if it replaces a file with another mode.
  static func write(
    _ text: String, to path: String, isPrivate: Bool = false,
    hint: String = "Check the folder and its permissions."
  ) throws {
    do {
      try FileOperations.makeFolders(of: path)
    } catch {
      throw failure(path, hint, error.number)
    }
    let file = try AtomicFile(watched: path, hint: hint)
    var text = text
    try text.withUTF8 { try file.append(UnsafeRawBufferPointer($0)) }
    try file.commit(isPrivate: isPrivate)
  }
}
