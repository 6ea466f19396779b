/// The durability and the checks of a write transaction.
enum WriteMode {
  case ordinary
  /// A run that changed no offer, or a recent search. The commit does not wait for fsync, so a
  /// power cut may lose the last of these.
  case note
  /// An image, or the uses of images. The commit does not wait for fsync: a power cut may lose the
  /// last of these, and they can be fetched again.
  case image
  /// Removals and renumbered runs, which keep every reference valid themselves. Foreign keys are
  /// not checked: for one removed run SQLite would scan all changes.
  case unchecked

  /// Whether the commit waits for fsync (`synchronous=FULL`).
  var isSynchronous: Bool { !isBrief }

  /// Whether many such small transactions follow one another, so that the cost of BEGIN and COMMIT
  /// matters.
  var isBrief: Bool { self == .note || self == .image }

  /// Whether SQLite checks foreign keys.
  var checksForeignKeys: Bool { self != .unchecked }

  /// The size up to which the log is not checkpointed, in bytes. Notes are small; for images, one
  /// checkpoint serves some hundred of them.
  var logBytes: Int {
    switch self {
    case .note: 256 << 10
    case .image: 4 << 20
    case .ordinary, .unchecked: 0
    }
  }
}
