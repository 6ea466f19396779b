/// The format of an image file and its size in pixels.
///
/// The format is detected from the bytes, not from the server's `Content-Type`. No pixel is
/// decoded: the file's structure is walked, within bounds, only to confirm the format and to detect
/// truncation.
public struct ImageHeader: Hashable, Sendable {
  /// The format of the file.
  public let format: ImageFormat
  /// The width in pixels, above 0.
  public let width: Int
  /// The height in pixels, above 0.
  public let height: Int

  /// Creates an image header of its parts; the properties describe them.
  public init(format: ImageFormat, width: Int, height: Int) {
    self.format = format
    self.width = width
    self.height = height
  }

  /// Reads the header of a whole file.
  ///
  /// - Throws: `OffersError` with `malformedImage` for an unknown format or a truncated file,
  ///   `limitExceeded` beyond `ImageCacheLimits`. The message is a predicate without its subject, such
  ///   as “is a web page”; the caller puts the URL before it.
  public init(reading bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { try Self.read(ImageBytes($0)) }
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
public enum ImageFormat: String, Hashable, Sendable, CaseIterable {
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
  public var contentType: String { "image/\(rawValue)" }

  /// The display name.
  public var title: String { self == .webp ? "WebP" : rawValue.uppercased() }

  /// The format of a media type such as `image/png`; nil for another one.
  public init?(contentType: String) {
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
