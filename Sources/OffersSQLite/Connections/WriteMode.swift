/// The durability of a write transaction.
enum WriteMode {
  case ordinary
  /// A run that changed no offer, a recent search, failed logins, or when a session was last seen.
  /// The commit does not wait for fsync, so a power cut may lose the last of these.
  case note
  /// An image, or the uses of images. The commit does not wait for fsync: a power cut may lose the
  /// last of these. Lost images can be fetched again.
  case image

  /// Whether the commit waits for fsync (`synchronous=FULL`).
  var isSynchronous: Bool { self != .note && self != .image }

  /// The size of the log above which a write is followed by a checkpoint, in bytes. 0 stands for a
  /// checkpoint after every write. The size is large for images, so that many of them share a
  /// checkpoint.
  var logBytes: Int {
    switch self {
    case .note: 256 << 10
    case .image: 4 << 20
    case .ordinary: 0
    }
  }
}
