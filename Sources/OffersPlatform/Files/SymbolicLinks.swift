import Foundation

/// The target of symbolic links.
package enum SymbolicLinks {
  /// The path of a file with all links resolved. Of a link to a missing file, the path that the file
  /// would get; a path that cannot be resolved is returned as far as it can be.
  package static func resolve(_ path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    var path = path
    for _ in 0..<limit {
      guard let target = target(of: path) else { break }
      path = target.hasPrefix("/") ? target : FileOperations.folder(of: path) + "/" + target
    }
    return path
  }

  /// The most links that are followed; Linux has the same limit (path_resolution(7)).
  private static let limit = 40

  /// The text of a link; nil for a path that is none.
  private static func target(of path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    return count > 0
      ? String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }
}
