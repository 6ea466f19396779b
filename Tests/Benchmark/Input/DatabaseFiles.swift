import Foundation

/// The suffixes of the files of a database: the database itself, those of SQLite, and the lock file
/// of offers.
private let endings = ["", "-wal", "-shm", "-lock", "-journal"]

/// Removes a database with all its files.
func removeFiles(at path: String) throws {
  for ending in endings where FileManager.default.fileExists(atPath: path + ending) {
    try FileManager.default.removeItem(atPath: path + ending)
  }
}

/// Copies a database with all its files.
func copyFiles(from source: String, to target: String) throws {
  for ending in endings where FileManager.default.fileExists(atPath: source + ending) {
    try FileManager.default.copyItem(atPath: source + ending, toPath: target + ending)
  }
}

/// The size of a database and its write-ahead log, in bytes.
func sizeOfFiles(at path: String) throws -> Int {
  try ["", "-wal"].filter { FileManager.default.fileExists(atPath: path + $0) }.reduce(0) {
    let attributes = try FileManager.default.attributesOfItem(atPath: path + $1)
    return $0 + ((attributes[.size] as? Int) ?? 0)
  }
}
