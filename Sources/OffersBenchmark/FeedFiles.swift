import Foundation

/// The generated feeds that benchmarks read, made once and kept.
struct FeedFiles {
  let folder: String
  let peers: Peers

  /// The path of a feed of so many offers.
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
