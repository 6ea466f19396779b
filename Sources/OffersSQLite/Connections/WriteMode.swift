/// How a write goes about it.
enum WriteMode {
  case ordinary
  /// A note about a sync that changed no offer. A power cut may lose the last of them, and nothing
  /// else: it is not worth waiting for the disk.
  case note
  /// A picture, or how pictures were used. A power cut may lose the last of them, which can be had
  /// again.
  case image
  /// Removals, and runs that are numbered anew, which keep every reference whole themselves. SQLite's
  /// own check of one run would read all changes.
  case unchecked

  /// Whether to wait for the disk.
  var isSynchronous: Bool { !isBrief }

  /// Whether there are many of them in a row, each so small that beginning and ending it counts.
  var isBrief: Bool { self == .note || self == .image }

  /// Whether foreign keys are checked row by row.
  var checksForeignKeys: Bool { self != .unchecked }

  /// How large the log may be before it is moved into the file: notes stay small, and some hundred
  /// pictures share one wait for the disk.
  var logBytes: Int {
    switch self {
    case .note: 256 << 10
    case .image: 4 << 20
    case .ordinary, .unchecked: 0
    }
  }
}
