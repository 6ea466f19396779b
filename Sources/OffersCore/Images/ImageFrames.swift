/// Reads the size of a PNG file, which is a signature and chunks (https://www.w3.org/TR/png-3/).
enum PNGParser {
  /// The size; nil when the header is invalid, or no IDAT and IEND chunks follow.
  static func size(_ bytes: ImageBytes) -> (width: Int, height: Int)? {
    guard bytes.big(8, 4) == 13, bytes.has("IHDR", at: 12), let width = bytes.big(16, 4),
      let height = bytes.big(20, 4), let depth = bytes[24], let color = bytes[25],
      let interlacing = bytes[28], bytes[26] == 0, bytes[27] == 0, interlacing <= 1,
      hasRightDepth(depth, color), width <= Int(Int32.max), height <= Int(Int32.max)
    else { return nil }
    var place = 33
    var hasPixels = false
    while let length = bytes.big(place, 4) {
      if bytes.has("IEND", at: place + 4) {
        return hasPixels && length == 0 && bytes.count >= place + 12 ? (width, height) : nil
      }
      if bytes.has("IDAT", at: place + 4) { hasPixels = true }
      place += 12 + length
    }
    return nil
  }

  private static func hasRightDepth(_ depth: UInt8, _ color: UInt8) -> Bool {
    switch color {
    case 0: [1, 2, 4, 8, 16].contains(depth)
    case 3: [1, 2, 4, 8].contains(depth)
    case 2, 4, 6: depth == 8 || depth == 16
    default: false
    }
  }
}

/// Reads the size of a JPEG file, which is a sequence of marker segments (ITU-T T.81, annex B).
enum JPEGParser {
  /// The size; nil when no frame header precedes the scan data, or no end of image follows it.
  static func size(_ bytes: ImageBytes) -> (width: Int, height: Int)? {
    var place = 2
    var size: (width: Int, height: Int)?
    while bytes[place] == 0xFF {
      // Any number of fill bytes may precede a marker.
      while bytes[place + 1] == 0xFF { place += 1 }
      guard let marker = bytes[place + 1] else { return nil }
      if marker == 0x01 {
        place += 2
        continue
      }
      guard marker >= 0xC0, !(0xD0...0xD9).contains(marker), let length = bytes.big(place + 2, 2),
        length >= 2, place + 2 + length <= bytes.count
      else { return nil }
      // SOF0 to SOF15, except DHT, JPG and DAC, whose codes lie in the same range.
      if (0xC0...0xCF).contains(marker), marker != 0xC4, marker != 0xC8, marker != 0xCC {
        guard size == nil, length >= 11, let height = bytes.big(place + 5, 2),
          let width = bytes.big(place + 7, 2), let components = bytes[place + 9],
          (1...4).contains(components), length == 8 + 3 * Int(components)
        else { return nil }
        size = (width, height)
      }
      place += 2 + length
      if marker == 0xDA { return bytes.contains(0xFF, 0xD9, from: place) ? size : nil }
    }
    return nil
  }
}

/// Reads the size of a GIF file, which is a logical screen and blocks
/// (https://www.w3.org/Graphics/GIF/spec-gif89a.txt).
enum GIFParser {
  /// The size; nil when the first frame is incomplete. A missing trailer is accepted.
  static func size(_ bytes: ImageBytes) -> (width: Int, height: Int)? {
    guard let width = bytes.little(6, 2), let height = bytes.little(8, 2), let flags = bytes[10]
    else { return nil }
    var place = 13 + tableLength(flags)
    while let kind = bytes[place] {
      switch kind {
      case 0x21:
        guard let end = blocksEnd(bytes, place + 2) else { return nil }
        place = end
      case 0x2C:
        guard let imageWidth = bytes.little(place + 5, 2),
          let imageHeight = bytes.little(place + 7, 2), imageWidth > 0, imageHeight > 0,
          let imageFlags = bytes[place + 9]
        else { return nil }
        let pixels = place + 10 + tableLength(imageFlags)
        guard let codeSize = bytes[pixels], (1...11).contains(codeSize),
          blocksEnd(bytes, pixels + 1) != nil
        else { return nil }
        // Some old encoders wrote a logical screen of zero size; then the frame's size counts.
        return (max(width, imageWidth), max(height, imageHeight))
      default:
        return nil
      }
    }
    return nil
  }

  private static func tableLength(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }

  private static func blocksEnd(_ bytes: ImageBytes, _ start: Int) -> Int? {
    var place = start
    while let length = bytes[place] {
      if length == 0 { return place + 1 }
      place += 1 + Int(length)
    }
    return nil
  }
}

/// Reads the size of a WebP file, which is a sequence of RIFF chunks (RFC 9649).
enum WebPParser {
  static func size(_ bytes: ImageBytes) -> (width: Int, height: Int)? {
    // A reader may ignore trailing bytes (RFC 9649, section 2.4). They are refused here, because a
    // polyglot file could begin with a WebP header. An odd length is padded with one byte.
    guard let length = bytes.little(4, 4), length >= 12,
      length + 8 == bytes.count || length % 2 == 1 && length + 9 == bytes.count
    else { return nil }
    let end = length + 8
    guard let first = chunkEnd(bytes, 12, end) else { return nil }
    if bytes.has("VP8 ", at: 12) { return lossy(bytes, 20) }
    if bytes.has("VP8L", at: 12) { return lossless(bytes, 20) }
    guard bytes.has("VP8X", at: 12), let width = bytes.little(24, 3),
      let height = bytes.little(27, 3)
    else { return nil }
    // The image data, or the first frame of an animation.
    var place = first
    while place < end, let next = chunkEnd(bytes, place, end) {
      if bytes.has("VP8 ", at: place), lossy(bytes, place + 8) == nil { return nil }
      if bytes.has("VP8L", at: place), lossless(bytes, place + 8) == nil { return nil }
      if ["VP8 ", "VP8L", "ANMF"].contains(where: { bytes.has($0, at: place) }) {
        return (width + 1, height + 1)
      }
      place = next
    }
    return nil
  }

  /// The offset of the next chunk; nil when this chunk exceeds `end`.
  private static func chunkEnd(_ bytes: ImageBytes, _ start: Int, _ end: Int) -> Int? {
    guard let length = bytes.little(start + 4, 4), start + 8 + length <= end else { return nil }
    return start + 8 + length + length % 2
  }

  /// The size in the header of a key frame (RFC 6386, 9.1); nil for another frame.
  private static func lossy(_ bytes: ImageBytes, _ start: Int) -> (width: Int, height: Int)? {
    guard let tag = bytes[start], tag & 1 == 0, bytes.has([0x9D, 0x01, 0x2A], at: start + 3),
      let width = bytes.little(start + 6, 2), let height = bytes.little(start + 8, 2)
    else { return nil }
    return (width & 0x3FFF, height & 0x3FFF)
  }

  private static func lossless(_ bytes: ImageBytes, _ start: Int) -> (width: Int, height: Int)? {
    guard bytes[start] == 0x2F, let bits = bytes.little(start + 1, 4), bits >> 29 == 0 else {
      return nil
    }
    return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
  }
}
