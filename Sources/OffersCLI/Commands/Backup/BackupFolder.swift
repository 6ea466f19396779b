import Foundation
import OffersCore
import OffersPlatform

/// A folder of backups, one for each day, such as `offers-2026-11-28.sqlite`.
struct BackupFolder {
  let path: String

  /// The path of the backup of a day, in a folder that is made if it is missing.
  ///
  /// - Throws: `OffersError` with `storageFailed` if the folder cannot be made.
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
  /// - Throws: `OffersError` with `storageFailed` if the folder cannot be read.
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
