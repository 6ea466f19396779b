import ArgumentParser
import Foundation
import Glibc
import OffersCore
import OffersPlatform
import OffersStore
import OffersSync

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the database, also while it is being written.",
    usage: "offers backup <file> [<options>]",
    discussion: """
      The copy is one file, a snapshot of the database, and it is checked before it gets its name. \
      To restore it: offers restore FILE

      EXAMPLES
        offers backup ~/backups/offers.sqlite
        offers backup ~/backups --keep 14     one a day: offers-2026-11-28.sqlite
        offers backup - | ssh elsewhere 'cat > offers.sqlite'
      """)

  @Argument(
    help: "The file for the copy, of which an older backup is replaced, or - for standard output.")
  var file: String

  @Option(
    help: .value(
      "number",
      "Write into the folder FILE, under a name with the date, and keep this many such backups."))
  var keep: Int?

  @Flag(help: "Also replace a file that is not a backup.") var force = false
  @Flag(.json) var json = false
  @OptionGroup var format: LogFormatOption
  @OptionGroup var location: DatabaseOptions

  func validate() throws {
    if let keep, keep < 1 { throw ValidationError("--keep must be at least 1.") }
    if file == "-", json || keep != nil {
      throw ValidationError("A copy on standard output has neither --json nor --keep.")
    }
  }

  func run() async throws {
    if file == "-" { return try await print() }
    if let keep {
      let folder = BackupFolder(path: file)
      let date = Date()
      var command = self
      (command.keep, command.file) = (nil, try folder.makeFile(on: date))
      try await command.run()
      return try folder.removeOldest(keeping: keep, on: date)
    }
    let database = try await location.openFile(.readOnly, for: .backup)
    try check(try database.backupTarget(file))
    let isNew = !database.file(at: file).exists
    let copy = try AtomicFile(
      watched: file, hint: "Check the folder, its permissions and its free space.")
    try await database.backUp(to: copy.temporaryPath)
    // The file may have become a database in the meantime.
    try check(try database.backupTarget(file))
    try copy.commit(isPrivate: true, isNew: isNew)
    let bytes = database.file(at: copy.path).sizeBytes
    try Output.print(
      json
        ? .json(["path": file, "bytes": bytes]) : .line("\(file): \(Units.size(bytes)), sound"))
  }

  /// Writes the copy to standard output, once it is complete and checked.
  private func print() async throws {
    try Output.refuseTerminal()
    let database = try await location.openFile(.readOnly, for: .backup)
    let copy = try AtomicFile(
      watched: "\(try location.place.temporaryFolder)/offers-backup.sqlite",
      hint: "Make room on the disk, or check the folder's permissions.")
    try await database.backUp(to: copy.temporaryPath)
    let descriptor = open(copy.temporaryPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw AtomicFile.failure(copy.temporaryPath, "Try again.") }
    defer { close(descriptor) }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 8)
    defer { piece.deallocate() }
    while true {
      let count = try FileOperations.readNext(into: piece, from: descriptor)
      if count == 0 { break }
      try Output.printBytes(UnsafeRawBufferPointer(piece)[..<count])
    }
  }

  private func check(_ target: BackupTargetKind) throws {
    let isForceable = target == .other || target == .lockable
    guard let message = target.refusal(of: file), !(force && isForceable) else { return }
    let hint =
      switch target {
      case .other: "Name another file, or replace it with --force."
      case .lockable: "Name another file, or replace it with --force when no process uses it."
      default: "Name another file."
      }
    throw OffersError(.invalidRequest, message, hint: hint)
  }
}

/// A folder of backups, one for each day, such as `offers-2026-11-28.sqlite`.
struct BackupFolder {
  let path: String

  /// The path of the backup of a day, in a folder that is made if it is missing.
  func makeFile(on date: Date) throws -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw OffersError(
        .storageFailed, "The folder \(path) could not be made.",
        hint: "Name a folder that you may write to.", cause: "\(error)")
    }
    return "\(path)/\(Self.name(on: date))"
  }

  /// Removes the backups of the oldest days, once that of a day is complete.
  ///
  /// - Parameters:
  ///   - count: how many are kept. Files with other names do not count, and stay.
  ///   - date: the day whose backup stays in any case.
  func removeOldest(keeping count: Int, on date: Date) throws {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw OffersError(
        .storageFailed, "The folder \(path) could not be read, so that older backups stay.",
        hint: "Check its permissions.", cause: "\(error)")
    }
    let newest = Self.name(on: date)
    let others = names.filter { $0 != newest && $0.wholeMatch(of: Self.form) != nil }.sorted()
    for name in others.dropLast(count - 1) { FileOperations.removeFile("\(path)/\(name)") }
  }

  private static func name(on date: Date) -> String {
    "offers-\(Units.day(date)).sqlite"
  }

  private static var form: Regex<Substring> { #/offers-\d{4}-\d\d-\d\d\.sqlite/# }
}
