import OffersCore
import OffersPlatform

/// The files that killed processes have left beside a database: temporary files of exports, backups
/// and downloads, and the incomplete copy of a restoration.
struct LeftoverFiles {
  private let file: DatabaseFile

  init(path: String) {
    file = DatabaseFile(path: DatabaseFile.resolve(path))
  }

  var finding: Finding {
    let names = find()
    if names.isEmpty { return Finding(.ok, "files", "no file of a killed process") }
    return Finding(
      .warning, "files",
      "killed processes have left files (\(names.count)): \(names.joined(separator: ", "))",
      advice: HealthCheck.repairAdvice)
  }

  /// Removes the files.
  ///
  /// - Returns: nil if there is none.
  func remove() -> Repair? {
    let names = find()
    if names.isEmpty { return nil }
    AbandonedFiles.remove(in: file.folder)
    if hasIncompleteCopy {
      // A guard that another process holds, or that cannot be queried, leaves the file.
      _ = try? WriteGuard(file).holdIfFree {
        FileOperations.removeFile(FileReplacement(file: file).copyPath)
      }
    }
    let left = find()
    return Repair(
      subject: "files",
      message: left.isEmpty
        ? "removed the files of killed processes (\(names.count))"
        : "could not remove \(left.joined(separator: ", "))",
      isDone: left.isEmpty)
  }

  private func find() -> [String] {
    AbandonedFiles.find(in: file.folder)
      + (hasIncompleteCopy ? [FileReplacement(file: file).copyPath] : [])
  }

  /// Whether there is the copy of a restoration that nobody is writing. The process that writes it
  /// holds the write guard.
  private var hasIncompleteCopy: Bool {
    guard DatabaseFile(path: FileReplacement(file: file).copyPath).exists else { return false }
    // If the guard cannot be queried, the copy may be that of a living process.
    return (try? DatabaseLock(path: file.lockPath).isHeld()) == false
  }
}

extension SQLitePlace {
  package func examineRemains() -> Finding { LeftoverFiles(path: path).finding }
  package func removeRemains() -> Repair? { LeftoverFiles(path: path).remove() }
}
