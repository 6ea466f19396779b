/// Which member of an object came behind which the last time. Nearly every record has its members in
/// the order of the one before, and a key that is expected is compared, not searched for.
final class MemberOrder {
  /// A place in an object: behind its opening brace, or behind a member.
  struct Place {
    fileprivate let number: Int

    /// Behind the brace of an object of this shape.
    init(start shape: Int32) { number = 2 * Int(shape) }

    /// Behind a member of this shape.
    init(behind shape: Int32) { number = 2 * Int(shape) + 1 }
  }

  /// A key with its quotes as two words, and which of their bytes count.
  private struct Key {
    /// What no bytes equal.
    var words: (UInt64, UInt64) = (1, 1)
    var masks: (UInt64, UInt64) = (0, 0)
    var byteCount = 0

    init() {}

    init(_ text: UnsafeRawBufferPointer) {
      // One that must be written with escapes never stands in a document as it is.
      guard text.count <= 14, !text.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C })
      else { return }
      byteCount = text.count + 2
      let bytes = [0x22] + Array(text) + [0x22]
      words = (0, 0)
      for (index, byte) in bytes.enumerated() {
        let shift = UInt64(8 * (index % 8))
        if index < 8 {
          words.0 |= UInt64(byte) << shift
          masks.0 |= 0xFF << shift
        } else {
          words.1 |= UInt64(byte) << shift
          masks.1 |= 0xFF << shift
        }
      }
    }
  }

  /// By shape.
  private let keys: UnsafeMutableBufferPointer<Key>
  /// The shapes of the members that came last at each place; below 0 for none.
  private let members: UnsafeMutableBufferPointer<Int32>

  init(_ paths: PathTree) {
    keys = .allocate(capacity: paths.count)
    for shape in 0..<paths.count {
      let key = paths.key(of: Int32(shape)).map(Key.init) ?? Key()
      keys.initializeElement(at: shape, to: key)
    }
    members = .allocate(capacity: 2 * paths.count)
    members.initialize(repeating: -1)
  }

  deinit {
    keys.deallocate()
    members.deallocate()
  }

  /// Goes over the key that is expected at a place, its quotes included, and returns its shape;
  /// below 0 when something else stands there. At least 16 bytes must be readable.
  @inline(__always)
  func skipExpected(_ place: Place, _ p: inout JSONScanner.Position) -> Int32 {
    let shape = members[place.number]
    if shape < 0 { return shape }
    let key = keys[Int(shape)]
    let bytes = UnsafeRawPointer(p)
    let first = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    let second = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    guard first & key.masks.0 == key.words.0, second & key.masks.1 == key.words.1 else { return -1 }
    p += key.byteCount
    return shape
  }

  /// Says what stood at a place.
  @inline(__always)
  func expect(_ shape: Int32, at place: Place) { members[place.number] = shape }
}
