/// The format of an image file and its size in pixels.
///
/// The format is detected from the bytes, not from the server's `Content-Type`. No pixel is
/// decoded: the file's structure is walked, within bounds, only to confirm the format and to detect
/// truncation.
package struct ImageHeader: Hashable, Sendable {
  /// The format of the file.
  package let format: ImageFormat
  /// The width in pixels, above 0.
  package let width: Int
  /// The height in pixels, above 0.
  package let height: Int

  /// Creates an image header of its parts; the properties describe them.
  package init(format: ImageFormat, width: Int, height: Int) {
    self.format = format
    self.width = width
    self.height = height
  }

  /// Reads the header of a whole file.
  ///
  /// - Throws: `OffersError` with `malformedImage` for an unknown format or a truncated file,
  ///   `limitExceeded` beyond `ImageCacheLimits`. The message is a predicate without its subject, such
  ///   as “is a web page”; the caller puts the URL before it.
  package init(reading bytes: [UInt8]) throws(OffersError) {
    self = try OffersError.translating {
      try bytes.withUnsafeBytes { try Self.read(ImageBytes($0)) }
    }
  }

  private static func read(_ bytes: ImageBytes) throws -> ImageHeader {
    guard let format = ImageFormat(bytes) else { throw refusal(UnsupportedFile.name(of: bytes)) }
    if bytes.count > ImageCacheLimits.bytes {
      throw OffersError(.limitExceeded, "has more than \(ImageCacheLimits.bytes >> 20) MiB")
    }
    let size: (width: Int, height: Int)?
    switch format {
    case .png: size = PNGParser.size(bytes)
    case .jpeg: size = JPEGParser.size(bytes)
    case .gif: size = GIFParser.size(bytes)
    case .webp: size = WebPParser.size(bytes)
    case .avif: size = AVIFParser.size(bytes)
    }
    guard let size else { throw refusal("is a damaged or truncated \(format.title)") }
    guard size.width > 0, size.height > 0 else {
      throw refusal("is a \(format.title) with a width or height of 0")
    }
    // Each side is 32 bits at most, so the product fits.
    guard size.width * size.height <= ImageCacheLimits.pixels else {
      throw OffersError(
        .limitExceeded,
        "is a \(format.title) of \(size.width) × \(size.height) pixels, more than "
          + "\(ImageCacheLimits.pixels / 1_000_000) megapixels")
    }
    return ImageHeader(format: format, width: size.width, height: size.height)
  }

  private static func refusal(_ reason: String) -> OffersError {
    OffersError(.malformedImage, reason)
  }
}

/// The supported image formats.
package enum ImageFormat: String, Hashable, Sendable, CaseIterable {
  /// PNG.
  case png
  /// JPEG.
  case jpeg
  /// GIF, still or animated.
  case gif
  /// WebP, lossy or lossless.
  case webp
  /// AVIF, still or animated.
  case avif

  /// The media type, such as `image/png`.
  package var contentType: String { "image/\(rawValue)" }

  /// The display name.
  package var title: String { self == .webp ? "WebP" : rawValue.uppercased() }

  /// The format of a media type such as `image/png`; nil for another one.
  package init?(contentType: String) {
    guard contentType.hasPrefix("image/") else { return nil }
    self.init(rawValue: String(contentType.dropFirst("image/".count)))
  }

  /// Detects the format by its first bytes
  /// (https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern).
  init?(_ bytes: ImageBytes) {
    if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
      self = .png
    } else if bytes.has([0xFF, 0xD8, 0xFF], at: 0) {
      self = .jpeg
    } else if bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) {
      self = .gif
    } else if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) {
      self = .webp
    } else if AVIFParser.isAVIF(bytes) {
      self = .avif
    } else {
      return nil
    }
  }
}

/// Describes files that are not supported images, for error messages.
private enum UnsupportedFile {
  /// The number of bytes that are inspected as text.
  private static let lookedAt = 1024

  static func name(of bytes: ImageBytes) -> String {
    if bytes.count == 0 { return "is empty" }
    if bytes.has([0x1F, 0x8B], at: 0) { return "is compressed with gzip" }
    if bytes.has("BM", at: 0) { return "is a BMP, which is not supported" }
    if bytes.has("%PDF", at: 0) { return "is a PDF" }
    if bytes.has("ftyp", at: 4) { return "is a video or a HEIF, which is not supported" }
    if bytes.has([0, 0, 1, 0], at: 0) { return "is an icon file, which is not supported" }
    var text = String(decoding: bytes.start(lookedAt), as: UTF8.self).lowercased()[...]
    while let first = text.unicodeScalars.first,
      first.properties.isWhitespace || first == "\u{FEFF}"
    {
      text = Substring(text.unicodeScalars.dropFirst())
    }
    if text.hasPrefix("{") || text.hasPrefix("[") { return "is JSON" }
    guard text.hasPrefix("<") else { return "is not an image of a supported format" }
    if text.contains("<svg") { return "is an SVG, which may contain scripts and is not supported" }
    if text.contains("<html") || text.contains("<!doctype html") || text.contains("<body")
      || text.contains("<head") || text.contains("<title") || text.contains("<script")
    {
      return "is a web page"
    }
    return "is XML"
  }
}

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

/// Reads the size of an AVIF file, which is a sequence of boxes (ISO/IEC 14496-12 and 23008-12,
/// https://aomediacodec.github.io/av1-avif/).
enum AVIFParser {
  /// The most boxes that are read at one level; an ordinary image has a few dozen.
  private static let boxLimit = 4096

  fileprivate struct Box {
    let kind: Int
    let content: Range<Int>
  }

  /// Whether the file type box declares an AVIF brand.
  static func isAVIF(_ bytes: ImageBytes) -> Bool {
    guard bytes.has("ftyp", at: 4), let length = bytes.big(0, 4), length >= 16, length <= 4096
    else { return false }
    // The major brand, the minor version (skipped), then the compatible brands.
    return stride(from: 8, to: min(length, bytes.count) - 3, by: 4).contains {
      $0 != 12 && (bytes.has("avif", at: $0) || bytes.has("avis", at: $0))
    }
  }

  /// The largest size among the image's properties; smaller ones belong to thumbnails, tiles and
  /// alpha planes. Nil when a required box or the size is missing, or a box exceeds its container.
  static func size(_ bytes: ImageBytes) -> (width: Int, height: Int)? {
    guard let boxes = boxes(bytes, 0..<bytes.count), let meta = boxes.first(named: "meta"),
      let parts = Self.boxes(bytes, skippingVersion(meta)),
      boxes.first(named: "mdat") != nil || parts.first(named: "idat") != nil,
      let properties = parts.first(named: "iprp").flatMap({ Self.boxes(bytes, $0) }),
      let list = properties.first(named: "ipco").flatMap({ Self.boxes(bytes, $0) }),
      list.first(named: "av1C") != nil
    else { return nil }
    let sizes = list.named("ispe").compactMap { content in
      bytes.big(content.lowerBound + 4, 4).flatMap { width in
        bytes.big(content.lowerBound + 8, 4).map { (width: width, height: $0) }
      }
    }.filter { $0.width <= Int(Int32.max) && $0.height <= Int(Int32.max) }
    return sizes.max { $0.width * $0.height < $1.width * $1.height }
  }

  private static func skippingVersion(_ range: Range<Int>) -> Range<Int> {
    min(range.lowerBound + 4, range.upperBound)..<range.upperBound
  }

  /// The boxes of a range; nil when one exceeds the range, or there are more than `boxLimit`.
  private static func boxes(_ bytes: ImageBytes, _ range: Range<Int>) -> [Box]? {
    var boxes: [Box] = []
    var place = range.lowerBound
    while place < range.upperBound {
      guard boxes.count < boxLimit, var length = bytes.big(place, 4),
        let kind = bytes.big(place + 4, 4)
      else { return nil }
      var head = 8
      if length == 1 {
        guard bytes.big(place + 8, 4) == 0, let low = bytes.big(place + 12, 4) else { return nil }
        (length, head) = (low, 16)
      } else if length == 0 {
        length = range.upperBound - place
      }
      guard length >= head, length <= range.upperBound - place else { return nil }
      boxes.append(Box(kind: kind, content: place + head..<place + length))
      place += length
    }
    return boxes
  }
}

extension [AVIFParser.Box] {
  /// The content ranges of the boxes of a type.
  fileprivate func named(_ name: String) -> [Range<Int>] {
    let code = name.utf8.reduce(0) { $0 << 8 | Int($1) }
    return filter { $0.kind == code }.map(\.content)
  }

  fileprivate func first(named name: String) -> Range<Int>? { named(name).first }
}

/// Bounds-checked access to bytes: a read beyond the end yields nil.
struct ImageBytes {
  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var count: Int { bytes.count }

  subscript(index: Int) -> UInt8? {
    index >= 0 && index < bytes.count ? bytes[index] : nil
  }

  /// An unsigned big-endian number of `length` bytes, at most 4.
  func big(_ index: Int, _ length: Int) -> Int? {
    guard index >= 0, index <= bytes.count, length <= bytes.count - index else { return nil }
    return bytes[index..<index + length].reduce(0) { $0 << 8 | Int($1) }
  }

  /// An unsigned little-endian number of `length` bytes, at most 4.
  func little(_ index: Int, _ length: Int) -> Int? {
    guard index >= 0, index <= bytes.count, length <= bytes.count - index else { return nil }
    return bytes[index..<index + length].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  func has(_ expected: [UInt8], at index: Int) -> Bool {
    guard index >= 0, index <= bytes.count, expected.count <= bytes.count - index else {
      return false
    }
    return bytes[index..<index + expected.count].elementsEqual(expected)
  }

  func has(_ expected: String, at index: Int) -> Bool { has(Array(expected.utf8), at: index) }

  /// Whether a pair of bytes occurs at or after an index.
  func contains(_ first: UInt8, _ second: UInt8, from index: Int) -> Bool {
    var place = max(0, index)
    while place + 1 < bytes.count {
      if bytes[place] == first, bytes[place + 1] == second { return true }
      place += 1
    }
    return false
  }

  func start(_ length: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes.prefix(length))
  }
}
