import EmbeddedFeeds

/// Finds the files of the folders `Shipped` and `Samples`, which are embedded in the program.
enum EmbeddedFeedFiles {
  /// The bytes of the file with this name, such as `albums.yaml`; nil when there is none.
  static func find(_ name: String) -> [UInt8]? {
    var count: UInt = 0
    guard let bytes = embedded_feed_file(name, &count) else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}
