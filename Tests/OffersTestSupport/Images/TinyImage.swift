/// Minimal files of each image format, with a given width and height. Their structure is valid;
/// their pixel data is not.
public enum TinyImage {
  public static let names = [
    "png", "jpeg", "gif", "webp lossy", "webp lossless", "webp extended", "avif",
  ]

  public static func make(_ name: String, width: Int = 3, height: Int = 2) -> [UInt8] {
    switch name {
    case "png": png(width: width, height: height)
    case "jpeg": jpeg(width: width, height: height)
    case "gif": gif(width: width, height: height)
    case "webp lossy": riff(lossy(width, height))
    case "webp lossless": riff(lossless(width, height))
    case "webp extended": riff(extended(width, height) + lossy(width, height))
    default: avif(width: width, height: height)
    }
  }

  /// - Parameter filling: the bytes in place of the pixel data, by which images can differ.
  public static func png(width: Int = 3, height: Int = 2, filling: [UInt8] = [1, 2, 3]) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", big(width, 4) + big(height, 4) + [8, 6, 0, 0, 0])
      + chunk("IDAT", filling) + chunk("IEND", [])
  }

  /// A PNG that `png` made, with three bytes a pixel instead of four.
  public static func opaque(_ png: [UInt8]) -> [UInt8] {
    let header = Array(png[16..<25]) + [2, 0, 0, 0]
    return Array(png[..<8]) + chunk("IHDR", header) + png[33...]
  }

  public static func jpeg(width: Int, height: Int) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC0, 0, 11, 8] + big(height, 2) + big(width, 2)
      + [1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0x34, 0xFF, 0xD9]
  }

  public static func gif(width: Int, height: Int) -> [UInt8] {
    Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0x80, 0, 0, 0, 0, 0, 9, 9, 9]
      + [0x21, 0xF9, 4, 0, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0] + little(width, 2) + little(height, 2)
      + [0, 2, 2, 0x4C, 1, 0, 0x3B]
  }

  public static func avif(width: Int, height: Int) -> [UInt8] {
    let sizes =
      box("ispe", [0, 0, 0, 0] + big(width, 4) + big(height, 4)) + box("av1C", [0x81, 0, 0, 0])
    return box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
      + box("meta", [0, 0, 0, 0] + box("iprp", box("ipco", sizes))) + box("mdat", [1, 2, 3])
  }

  public static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8, 4) + Array(name.utf8) + content
  }

  private static func lossy(_ width: Int, _ height: Int) -> [UInt8] {
    part("VP8 ", [0x10, 0, 0, 0x9D, 1, 0x2A] + little(width, 2) + little(height, 2) + [0, 0])
  }

  private static func lossless(_ width: Int, _ height: Int) -> [UInt8] {
    part("VP8L", [0x2F] + little((width - 1) | (height - 1) << 14, 4) + [0])
  }

  private static func extended(_ width: Int, _ height: Int) -> [UInt8] {
    part("VP8X", [0, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
  }

  private static func part(_ name: String, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + little(content.count, 4) + content
      + [UInt8](repeating: 0, count: content.count % 2)
  }

  private static func riff(_ parts: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + little(parts.count + 4, 4) + Array("WEBP".utf8) + parts
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    var crc = UInt32.max
    for byte in body {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return big(content.count, 4) + body + big(Int(~crc), 4)
  }

  public static func big(_ number: Int, _ length: Int) -> [UInt8] {
    (0..<length).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  public static func little(_ number: Int, _ length: Int) -> [UInt8] {
    big(number, length).reversed()
  }
}
