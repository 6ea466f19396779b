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
    try decide(with: bytes, isLast: false, emit)
  }

  /// Passes on the bytes held back, and checks that the document is complete, since no more bytes
  /// follow.
  /// - Throws: the errors of `consume`; `malformedFeed` when the document is cut off.
  package func finish(_ emit: ByteSink) throws {
    if case .undecided = stage {
      try decide(with: UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, emit)
    }
    if case .member = stage {
      throw OffersError(
        .malformedFeed, "The compressed document ends too early.",
        hint: "Nothing was changed. It may have been cut off on the way: sync again.")
    }
  }

  private func decide(
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
