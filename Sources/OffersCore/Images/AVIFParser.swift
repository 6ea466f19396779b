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
