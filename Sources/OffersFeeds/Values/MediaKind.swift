/// The kind of a file, by the ending of the path of its address.
enum MediaKind {
  case picture
  case soundOrVideo

  /// Returns nil for an address without an ending, and for another ending.
  ///
  /// - Parameter address: the address in UTF-8.
  init?(_ address: some BidirectionalCollection<UInt8>) {
    let path = address.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let name = path.suffix(Self.longestName)
    guard let dot = name.lastIndex(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }),
      name[dot] == UInt8(ascii: ".")
    else { return nil }
    // Some servers of pictures append a size, as in a.jpg:large.
    let ending = name[dot...].dropFirst().prefix {
      CharacterScan.isDigit($0) || CharacterScan.isLetter($0)
    }
    switch String(decoding: ending, as: UTF8.self).lowercased() {
    case "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "heic", "heif", "bmp",
      "svg", "tif", "tiff", "ico", "jxl":
      self = .picture
    case "mp3", "m4a", "m4b", "aac", "ogg", "oga", "opus", "wav", "flac", "wma", "aif", "aiff",
      "mid", "midi", "mp4", "m4v", "mov", "qt", "avi", "mkv", "webm", "ogv", "mpg", "mpeg", "wmv",
      "flv", "3gp", "m3u", "m3u8":
      self = .soundOrVideo
    default: return nil
    }
  }

  /// The bytes at the end of a path among which its ending is looked for.
  private static let longestName = 24
}
