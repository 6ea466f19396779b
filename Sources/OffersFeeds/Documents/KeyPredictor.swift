/// Predicts the next key of an object from the previous record. Nearly all records have their
/// members in the same order, and comparing with one expected key is cheaper than a lookup.
final class KeyPredictor {
  /// A position in an object: after its opening brace, or after a member.
  struct Position {
    fileprivate let number: Int

    /// The position after the opening brace of an object with this shape.
    init(start shape: Int32) { number = 2 * Int(shape) }

    /// The position after a member with this shape.
    init(after shape: Int32) { number = 2 * Int(shape) + 1 }
  }

  /// A key with its quotes as two words of 64 bits, with masks for the bytes that it has.
  private struct Key {
    /// The initial value never equals masked bytes, so that a key left at it never matches.
    var words: (UInt64, UInt64) = (1, 1)
    var masks: (UInt64, UInt64) = (0, 0)
    var byteCount = 0

    init() {}

    init(_ text: UnsafeRawBufferPointer) {
      // Keys with characters that JSON escapes, and long ones, never match, so they are looked up.
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

  /// The keys, indexed by shape.
  private let keys: UnsafeMutableBufferPointer<Key>
  /// The shape of the member that was last seen at each position; negative for none.
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

  /// Moves past the key that is expected at a position, including its quotes, and returns its
  /// shape. Returns a negative number for another key. At least 16 bytes must be readable.
  @inline(__always)
  func skipExpected(_ position: Position, _ p: inout JSONScanner.Position) -> Int32 {
    let shape = members[position.number]
    if shape < 0 { return shape }
    let key = keys[Int(shape)]
    let bytes = UnsafeRawPointer(p)
    let first = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    let second = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    guard first & key.masks.0 == key.words.0, second & key.masks.1 == key.words.1 else { return -1 }
    p += key.byteCount
    return shape
  }

  /// Records the shape of the member at a position, whose key is expected there from then on.
  @inline(__always)
  func expect(_ shape: Int32, at position: Position) { members[position.number] = shape }
}
