import Foundation

/// The generated feeds that benchmarks read. They are made once and kept.
struct FeedFiles {
  let folder: String
  let peers: Peers

  /// Returns the path of a feed with `count` offers. If it is missing, it is generated first.
  func path(_ variant: FeedGenerator.Variant, count: Int) throws -> String {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let source = peers.folder == nil ? "own" : "peer"
    let path = "\(folder)/\(source)-\(count)-\(variant.rawValue).json"
    if FileManager.default.fileExists(atPath: path) { return path }
    if let command = peers.generator(variant, count: count, path: path + ".new") {
      _ = try ProcessTimer.time(command)
    } else {
      try FeedGenerator(count: count).write(variant, to: path + ".new")
    }
    try FileManager.default.moveItem(atPath: path + ".new", toPath: path)
    return path
  }
}
