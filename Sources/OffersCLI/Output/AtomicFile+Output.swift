import OffersCore
import OffersPlatform
import OffersSync

/// Every file that a command writes for the user is written by this class, apart from databases. An
/// interrupted program removes the temporary file.
extension AtomicFile {
  /// Creates a file whose temporary file an interrupted program removes.
  ///
  /// - Parameters and errors: those of `init(replacing:isPublic:hint:interruption:)`.
  convenience init(watched path: String, isPublic: Bool = false, hint: String) throws {
    try self.init(
      replacing: path, isPublic: isPublic, hint: hint, interruption: InterruptionWatch.init)
  }

  /// Creates the file for the `--output` option of a command.
  ///
  /// - Parameters:
  ///   - output: the value of the option.
  ///   - isPublic: whether a new file gets the usual permissions, 0666 less the umask, instead of 0600.
  ///   - database: the database that the command uses. It is not replaced, nor is another database of
  ///     this program, a companion file of a database, or a file beside which there is a log or journal.
  /// - Throws: `OffersError` with `invalidRequest` for a database, otherwise as
  ///   `init(watched:isPublic:hint:)`.
  convenience init(
    output: String, isPublic: Bool = false, beside database: any OffersStorage
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
  /// - Parameters:
  ///   - text: the new content, written as UTF-8.
  ///   - path: the file; a symbolic link is followed.
  ///   - isPrivate: whether its mode is 0600 even if it replaces a file with another mode.
  ///   - hint: the hint of errors.
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
