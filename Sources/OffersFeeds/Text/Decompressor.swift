import Expat
import OffersCore
import ZLib

/// Decompresses a document in gzip, zlib or raw deflate, detected from its first bytes, and passes
/// any other document on unchanged.
///
/// Memory use is one buffer of 256 KiB and zlib's window. The output does not depend on how the
/// input is divided into chunks. After an error no more bytes may be passed in.
package final class Decompressor {
  private enum Stage {
    case undecided
    case plain
    /// Within a member of a gzip file, or within the only stream of the other formats.
    case member(Compression)
    /// After a member: zero bytes or the end may follow, in gzip also another member.
    case behind(Compression)
    /// Within the zero bytes that pad the last block of a tape or disk.
    case padding
  }

  /// Whether the document is compressed; false until that is detected.
  package private(set) var isCompressed = false

  /// Whether the server sent `Content-Encoding: deflate`, with which some mean zlib (RFC 1950), as the
  /// standard does, and some mean raw deflate (RFC 1951). To be set before the first bytes.
  package var isRawDeflate: Bool

  private let limitBytes: Int
  private var stage = Stage.undecided
  private var held: [UInt8] = []
  private var readBytes = 0
  private var writtenBytes = 0
  /// Allocated separately, since zlib requires a stable address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var isStreamOpen = false
  private var output: UnsafeMutableRawBufferPointer?

  private static let outputBytes = 256 << 10

  /// - Parameters:
  ///   - limitBytes: the largest decompressed size of a compressed document. Other documents are
  ///     not limited here.
  ///   - isRawDeflate: the initial value of the property.
  package init(limitBytes: Int, isRawDeflate: Bool = false) {
    self.limitBytes = limitBytes
    self.isRawDeflate = isRawDeflate
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    if isStreamOpen { inflateEnd(stream) }
    stream.deinitialize(count: 1)
    stream.deallocate()
    output?.deallocate()
  }

  /// Decompresses the next bytes and passes them on.
  /// - Throws: `OffersError` with `malformedFeed` for damaged data, `limitExceeded` beyond the
  ///   limit, and any error of `emit`.
  package func consume(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
    guard case .undecided = stage else { return try unpack(bytes, emit) }
    try decideCompression(with: bytes, isLast: false, emit)
  }

  /// Passes on the bytes held back, and checks that the document is complete, since no more bytes
  /// follow.
  /// - Throws: the errors of `consume`; `malformedFeed` when the document is cut off.
  package func finish(_ emit: ByteSink) throws {
    if case .undecided = stage {
      try decideCompression(with: UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, emit)
    }
    if case .member = stage {
      throw OffersError(
        .malformedFeed, "The compressed document ends too early.",
        hint: "Nothing was changed. It may have been cut off on the way: sync again.")
    }
  }

  /// Takes the compression from the first bytes, which are held until there are enough of them.
  private func decideCompression(
    with bytes: UnsafeRawBufferPointer, isLast: Bool, _ emit: ByteSink
  ) throws {
    var rest = bytes
    let finding: Compression.Finding
    if held.isEmpty {
      finding = Compression.find(in: bytes, isRawDeflate: isRawDeflate, isLast: isLast)
    } else {
      let missing = min(Compression.neededBytes - held.count, bytes.count)
      held.append(contentsOf: bytes.prefix(missing))
      rest = bytes.tail(from: missing)
      finding = held.withUnsafeBytes {
        Compression.find(in: $0, isRawDeflate: isRawDeflate, isLast: isLast)
      }
    }
    switch finding {
    case .open:
      if held.isEmpty { held.append(contentsOf: bytes) }
      return
    case .plain: stage = .plain
    case .packed(let compression): try open(compression)
    }
    let start = held
    held = []
    try start.withUnsafeBytes { try unpack($0, emit) }
    try unpack(rest, emit)
  }

  private func open(_ compression: Compression) throws {
    let windowBits: Int32 =
      switch compression {
      case .gzip: 15 + 16
      case .zlib: 15
      case .rawDeflate: -15
      }
    let status = inflateInit2_(
      stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw Self.outOfMemory }
    isStreamOpen = true
    isCompressed = true
    stage = .member(compression)
  }

  private func unpack(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
    var rest = bytes
    while let first = rest.first {
      switch stage {
      case .undecided, .plain:
        return try emit(rest)
      case .member(let compression):
        let isEnded = try inflateMember(&rest, emit)
        if isEnded { stage = .behind(compression) }
      case .behind(.gzip) where first != 0:
        guard inflateReset(stream) == Z_OK else { throw damaged() }
        stage = .member(.gzip)
      case .behind, .padding:
        stage = .padding
        guard first == 0 else { throw damaged() }
        readBytes += 1
        rest = rest.tail(from: 1)
      }
    }
  }

  /// Decompresses up to the member's end, or all bytes, and removes what it has read from `rest`;
  /// returns true at the member's end.
  private func inflateMember(
    _ rest: inout UnsafeRawBufferPointer, _ emit: ByteSink
  ) throws -> Bool {
    let output = takeOutput()
    let input = rest.slice(0, min(rest.count, 1 << 30))
    guard let source = input.bindMemory(to: UInt8.self).baseAddress else { return false }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: source)
    stream.pointee.avail_in = UInt32(input.count)
    var status = Z_OK
    repeat {
      stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      status = inflate(stream, Z_NO_FLUSH)
      let written = output.count - Int(stream.pointee.avail_out)
      try hand(on: UnsafeRawBufferPointer(output).slice(0, written), emit)
      // When the buffer is full, zlib may hold more output even if all input was consumed.
    } while status == Z_OK && (stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0)
    let taken = input.count - Int(stream.pointee.avail_in)
    readBytes += taken
    rest = rest.tail(from: taken)
    switch status {
    case Z_STREAM_END: return true
    case Z_OK, Z_BUF_ERROR: return false
    case Z_MEM_ERROR: throw Self.outOfMemory
    default: throw damaged()
    }
  }

  private func hand(on bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
    if bytes.isEmpty { return }
    let allowed = min(bytes.count, limitBytes - writtenBytes)
    if allowed > 0 { try emit(bytes.slice(0, allowed)) }
    writtenBytes += allowed
    if allowed < bytes.count {
      throw OffersError(
        .limitExceeded, "The document decompresses to more than \(limitBytes) bytes.",
        hint: "Nothing was changed. Check that the source is an offers feed.")
    }
  }

  private func takeOutput() -> UnsafeMutableRawBufferPointer {
    if let output { return output }
    let fresh = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.outputBytes, alignment: 16)
    output = fresh
    return fresh
  }

  private func damaged() -> OffersError {
    OffersError(
      .malformedFeed, "The compressed document is damaged at byte \(readBytes).",
      hint: "Nothing was changed. It may have been damaged on the way: sync again.",
      cause: stream.pointee.msg.map { String(cString: $0) })
  }

  private static let outOfMemory = OffersError(
    .limitExceeded, "There is not enough memory to decompress the document.",
    hint: "Nothing was changed. Sync again when other programs need less of it.")
}

/// The compression formats of documents, detected from their first bytes.
enum Compression {
  /// Gzip (RFC 1952).
  case gzip
  /// Zlib (RFC 1950).
  case zlib
  /// Raw deflate (RFC 1951), without a header.
  case rawDeflate

  /// The result of the detection; `plain` for a document that is not compressed.
  enum Finding: Equatable {
    case packed(Compression)
    case plain
    /// More bytes are needed to detect the format.
    case open
  }

  /// The number of bytes that always suffice to detect the format.
  static let neededBytes = 64

  /// Detects the format from the first bytes of a document.
  ///
  /// Raw deflate has no signature. It is considered only when the server named the encoding
  /// “deflate”, which some servers use for zlib and others for raw deflate. A document then counts
  /// as raw deflate, unless its first byte and the absence of control characters show a text.
  /// - Parameters:
  ///   - bytes: the first bytes of the document.
  ///   - isRawDeflate: whether the server named the encoding “deflate”.
  ///   - isLast: whether no more bytes follow.
  static func find(
    in bytes: UnsafeRawBufferPointer, isRawDeflate: Bool, isLast: Bool
  ) -> Finding {
    guard let first = bytes.first else { return isLast ? .plain : .open }
    if first == 0x1F {
      if bytes.count == 1 { return isLast ? .packed(.gzip) : .open }
      if bytes[1] == 0x8B {
        if bytes.count == 2 { return isLast ? .packed(.gzip) : .open }
        if bytes[2] == 8 { return .packed(.gzip) }
      }
    }
    if first & 0x0F == 8 && first >> 4 <= 7 {
      if bytes.count == 1 { return isLast ? .plain : .open }
      if isZlibHeader(first, bytes[1]) { return .packed(.zlib) }
    }
    return isRawDeflate ? findRaw(in: bytes, first: first, isLast: isLast) : .plain
  }

  /// Whether two bytes are a zlib header without the flag of a preset dictionary, which is not
  /// supported. In ASCII digits the bit of this flag is set, so no number looks like a header.
  private static func isZlibHeader(_ method: UInt8, _ flags: UInt8) -> Bool {
    (Int(method) * 256 + Int(flags)) % 31 == 0 && flags & 0x20 == 0
  }

  private static func findRaw(
    in bytes: UnsafeRawBufferPointer, first: UInt8, isLast: Bool
  ) -> Finding {
    // These two bits are the type of the first block of raw deflate; 3 is invalid. In the byte
    // order marks of UTF-8 and UTF-16 both are set.
    if first >> 1 & 3 == 3 { return .plain }
    guard isTextStart(bytes) else { return .packed(.rawDeflate) }
    for byte in bytes.prefix(neededBytes) where byte < 0x20 && !isTextControl(byte) {
      return .packed(.rawDeflate)
    }
    return bytes.count >= neededBytes || isLast ? .plain : .open
  }

  private static func isTextStart(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch bytes[0] {
    case 0x7B, 0x5B, 0x3C, 0x20, 0x09, 0x0A, 0x0D: true
    default: false
    }
  }

  private static func isTextControl(_ byte: UInt8) -> Bool {
    // UTF-16 contains NUL bytes.
    byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == 0
  }
}

/// The versions of the C libraries of this module that the dynamic linker loaded, which may be newer
/// than those that the program was compiled with.
package enum LoadedLibraryVersions {
  /// The version of expat, such as `2.5.0`.
  package static var expatVersion: String {
    let version = XML_ExpatVersionInfo()
    return "\(version.major).\(version.minor).\(version.micro)"
  }

  /// The version of zlib, such as `1.2.13`.
  package static var zlibVersion: String { String(cString: ZLib.zlibVersion()) }
}
