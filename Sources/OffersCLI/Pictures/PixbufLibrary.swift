import OffersCore
import PixbufShim

/// The library gdk-pixbuf, which decodes and scales pictures. It need not be installed.
///
/// It reads the bytes of untrusted servers, so only a process that does nothing else decodes with it:
/// `PictureScaler` starts one for each picture.
struct PixbufLibrary {
  let version: String
  /// The formats that the library decodes. Those that came with it are JPEG, PNG and GIF; Debian's package
  /// `webp-pixbuf-loader` adds WebP.
  let formats: [ImageFormat]

  /// - Returns: nil if the library is not installed.
  init?() {
    var text = [CChar](repeating: 0, count: Int(OFFERS_PIXBUF_TEXT))
    guard offers_pixbuf_describe(&text) else { return nil }
    let words = Self.string(text).split(scalar: " ")
    version = words.first.map(String.init) ?? ""
    formats = words.dropFirst().compactMap { ImageFormat(rawValue: String($0)) }
  }

  /// The copy of a picture for lists, as a JPEG or PNG.
  ///
  /// - Throws: `OffersError` with `malformedImage`.
  static func copy(of picture: [UInt8], _ format: ImageFormat) throws -> [UInt8] {
    var problem = [CChar](repeating: 0, count: Int(OFFERS_PIXBUF_TEXT))
    var count = 0
    guard
      let copy = offers_pixbuf_scale(
        picture, picture.count, format.rawValue, Int32(ImageCacheLimits.thumbnailWidth),
        Int32(ImageCacheLimits.thumbnailHeight), &count, &problem)
    else { throw OffersError(.malformedImage, string(problem)) }
    return Array(UnsafeBufferPointer(start: copy, count: count))
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
