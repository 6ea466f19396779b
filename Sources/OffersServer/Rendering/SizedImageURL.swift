import OffersCore

/// Addresses of pictures that name their size, such as `…/100x100bb.jpg`: their servers make the picture
/// in each size that is asked for.
enum SizedImageURL {
  /// The width and height in pixels of the picture of an offer's page.
  static let large = 600

  /// The address of a square picture in another size; nil if the address names no smaller square size
  /// at the start of its last part.
  static func address(_ url: String, pixels: Int) -> String? {
    let parts = url.split(scalar: "/", omittingEmptySubsequences: false)
    guard parts.count > 3, let name = parts.last else { return nil }
    let digits = name.unicodeScalars.prefix { ("0"..."9").contains($0) }
    guard let size = Int(String(digits)), (1..<pixels).contains(size) else { return nil }
    let old = "\(size)x\(size)"
    guard name.hasPrefix(old), let next = name.dropFirst(old.count).unicodeScalars.first,
      !("0"..."9").contains(next)
    else { return nil }
    let start = parts.dropLast().joined(separator: "/")
    return "\(start)/\(pixels)x\(pixels)\(name.dropFirst(old.count))"
  }
}
