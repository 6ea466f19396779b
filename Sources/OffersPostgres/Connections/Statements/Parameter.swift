import OffersCore

/// A value that is bound to a parameter of a statement, in PostgreSQL's binary format.
/// https://www.postgresql.org/docs/current/protocol-message-formats.html
enum Parameter {
  /// NULL of a type.
  case null(ArrayParameter.Element)
  case number(Int64)
  case real(Double)
  case flag(Bool)
  case text(String)
  case bytes([UInt8])
  /// An array that was encoded before.
  case array(ArrayParameter)

  static func number(_ value: Int64?) -> Parameter { value.map { .number($0) } ?? .null(.int8) }
  static func text(_ value: String?) -> Parameter { value.map { .text($0) } ?? .null(.text) }

  static func numbers(_ values: [Int64?]) -> Parameter {
    var array = ArrayParameter(.int8)
    for value in values { array.append(value) }
    return .array(array)
  }

  static func texts(_ values: [String?]) -> Parameter {
    var array = ArrayParameter(.text)
    for value in values { array.append(value) }
    return .array(array)
  }

  /// The type's number in `pg_type`, which PostgreSQL never changes.
  var type: UInt32 {
    switch self {
    case .null(let type): type.rawValue
    case .number: ArrayParameter.Element.int8.rawValue
    case .real: ArrayParameter.Element.float8.rawValue
    case .flag: ArrayParameter.Element.bool.rawValue
    case .text: ArrayParameter.Element.text.rawValue
    case .bytes: ArrayParameter.Element.bytea.rawValue
    case .array(let array): array.element.arrayType
    }
  }

  /// Whether the value is a text that PostgreSQL cannot hold, because it has U+0000.
  var isUnstorable: Bool {
    switch self {
    case .text(let text): !StoredText.isStorable(text)
    case .array(let array): array.isUnstorable
    case .null, .number, .real, .flag, .bytes: false
    }
  }

  /// The value's bytes; nil for NULL.
  var encoded: [UInt8]? {
    switch self {
    case .null: nil
    case .number(let value): value.bigEndianBytes
    case .real(let value): value.bitPattern.bigEndianBytes
    case .flag(let value): [value ? 1 : 0]
    case .text(let value): Array(value.utf8)
    case .bytes(let value): value
    case .array(let array): array.encoded
    }
  }
}

/// A one-dimensional array of values of one type, encoded as it grows.
struct ArrayParameter {
  /// The types of elements, by their numbers in `pg_type`.
  enum Element: UInt32 {
    case bool = 16
    case bytea = 17
    case int8 = 20
    case text = 25
    case float8 = 701

    /// The number of the type of arrays of these elements.
    var arrayType: UInt32 {
      switch self {
      case .bool: 1000
      case .bytea: 1001
      case .int8: 1016
      case .text: 1009
      case .float8: 1022
      }
    }
  }

  let element: Element
  private(set) var count = 0
  private(set) var isUnstorable = false
  private var body: [UInt8] = []

  init(_ element: Element) { self.element = element }

  /// The size of the encoded elements, in bytes.
  var byteCount: Int { body.count }

  mutating func append(_ value: Int64?) {
    guard let value else { return appendNull() }
    appendLength(8)
    body.append(bigEndian: UInt64(bitPattern: value))
  }

  mutating func append(_ value: Double?) {
    guard let value else { return appendNull() }
    appendLength(8)
    body.append(bigEndian: value.bitPattern)
  }

  mutating func append(_ value: Bool) {
    appendLength(1)
    body.append(value ? 1 : 0)
  }

  mutating func append(_ value: String?) {
    guard var value else { return appendNull() }
    value.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends the bytes of a text or of a `bytea`.
  mutating func append(_ value: UnsafeRawBufferPointer?) {
    guard let value else { return appendNull() }
    appendLength(value.count)
    body.append(contentsOf: value)
    if element == .text, value.contains(0) { isUnstorable = true }
  }

  mutating func append(_ value: [UInt8]?) {
    guard let value else { return appendNull() }
    value.withUnsafeBytes { append($0) }
  }

  mutating func appendNull() { appendLength(-1) }

  private mutating func appendLength(_ length: Int) {
    count += 1
    body.append(bigEndian: UInt32(bitPattern: Int32(length)))
  }

  /// Removes all elements and keeps the memory.
  mutating func removeAll() {
    count = 0
    isUnstorable = false
    body.removeAll(keepingCapacity: true)
  }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + body.count)
    // Dimensions, whether there may be NULL, the type of the elements.
    bytes.append(bigEndian: UInt32(count == 0 ? 0 : 1))
    bytes.append(bigEndian: UInt32(1))
    bytes.append(bigEndian: element.rawValue)
    guard count > 0 else { return bytes }
    // The number of elements and the number of the first.
    bytes.append(bigEndian: UInt32(count))
    bytes.append(bigEndian: UInt32(1))
    bytes += body
    return bytes
  }
}

extension FixedWidthInteger {
  fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
