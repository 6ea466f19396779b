import CompressionShim
import OffersCore
import ZLib

/// Decompresses one stream of bytes with the library of its format.
protocol StreamDecoder: AnyObject {
  /// Decompresses bytes from `input` to `output` until one of them is used up or the stream ends.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecoderStep

  /// Begins another stream; false without memory.
  func restart() -> Bool

  /// The library's message about damaged data; nil if it gives none.
  var message: String? { get }
}

struct DecoderStep {
  enum Status {
    case more
    case ended
    case damaged
    /// The stream needs more memory than there is, or than is allowed.
    case outOfMemory
  }

  /// The number of bytes read, and of bytes written.
  let taken: Int
  let written: Int
  let status: Status
}

/// The state of a library's stream at an address of its own, because the libraries require a stable one.
private final class StableState<State> {
  let pointer: UnsafeMutablePointer<State>

  init(_ state: State) {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: state)
  }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }
}

/// Decompresses gzip, zlib and raw deflate with zlib.
final class DeflateDecoder: StreamDecoder {
  private let state = StableState(z_stream())
  private var stream: UnsafeMutablePointer<z_stream> { state.pointer }

  /// - Parameter windowBits: the format, as `inflateInit2` takes it.
  /// - Throws: `OffersError` with `limitExceeded` without memory.
  init(windowBits: Int32) throws {
    let status = inflateInit2_(
      state.pointer, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else { throw Decompressor.outOfMemory }
  }

  deinit { inflateEnd(stream) }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecoderStep {
    let count = min(input.count, 1 << 30)
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(count)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(output.count)
    let status: DecoderStep.Status =
      switch inflate(stream, Z_NO_FLUSH) {
      case Z_OK, Z_BUF_ERROR: .more
      case Z_STREAM_END: .ended
      case Z_MEM_ERROR: .outOfMemory
      default: .damaged
      }
    return DecoderStep(
      taken: count - Int(stream.pointee.avail_in),
      written: output.count - Int(stream.pointee.avail_out), status: status)
  }

  func restart() -> Bool { inflateReset(stream) == Z_OK }

  var message: String? { stream.pointee.msg.map { String(cString: $0) } }
}

/// Decompresses bzip2 with libbz2.
final class Bzip2Decoder: StreamDecoder {
  private static let library = SharedLibrary.open("libbz2", package: "libbz2-1.0") {
    offers_libbz2_open(&$0)
  }

  private let functions: offers_libbz2
  private let state = StableState(offers_bz_stream())
  private var stream: UnsafeMutablePointer<offers_bz_stream> { state.pointer }

  /// - Throws: `OffersError` with `malformedFeed` without the library, `limitExceeded` without memory.
  init() throws {
    functions = try Decompressor.functions(Self.library, of: "bzip2")
    guard functions.BZ2_bzDecompressInit(stream, 0, 0) == 0 else { throw Decompressor.outOfMemory }
  }

  deinit { _ = functions.BZ2_bzDecompressEnd(stream) }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecoderStep {
    let count = min(input.count, 1 << 30)
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: CChar.self)
    stream.pointee.avail_in = UInt32(count)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: CChar.self)
    stream.pointee.avail_out = UInt32(output.count)
    // BZ_OK, BZ_STREAM_END and BZ_MEM_ERROR.
    let status: DecoderStep.Status =
      switch functions.BZ2_bzDecompress(stream) {
      case 0: .more
      case 4: .ended
      case -3: .outOfMemory
      default: .damaged
      }
    return DecoderStep(
      taken: count - Int(stream.pointee.avail_in),
      written: output.count - Int(stream.pointee.avail_out), status: status)
  }

  func restart() -> Bool {
    _ = functions.BZ2_bzDecompressEnd(stream)
    stream.pointee = offers_bz_stream()
    return functions.BZ2_bzDecompressInit(stream, 0, 0) == 0
  }

  var message: String? { nil }
}

/// Decompresses xz with liblzma.
final class XZDecoder: StreamDecoder {
  private static let library = SharedLibrary.open("liblzma", package: "liblzma5") {
    offers_liblzma_open(&$0)
  }

  /// The most memory of a decompression, in bytes. The strongest preset of xz needs 65 MiB.
  private static let memoryLimitBytes: UInt64 = 68 << 20

  private let functions: offers_liblzma
  private let state = StableState(offers_lzma_stream())
  private var stream: UnsafeMutablePointer<offers_lzma_stream> { state.pointer }

  /// - Throws: `OffersError` with `malformedFeed` without the library, `limitExceeded` without memory.
  init() throws {
    functions = try Decompressor.functions(Self.library, of: "xz")
    guard restart() else { throw Decompressor.outOfMemory }
  }

  deinit { functions.lzma_end(stream) }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecoderStep {
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = input.count
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = output.count
    // LZMA_OK and LZMA_BUF_ERROR, LZMA_STREAM_END, LZMA_MEM_ERROR and LZMA_MEMLIMIT_ERROR; the action is LZMA_RUN.
    let status: DecoderStep.Status =
      switch functions.lzma_code(stream, 0) {
      case 0, 10: .more
      case 1: .ended
      case 5, 6: .outOfMemory
      default: .damaged
      }
    return DecoderStep(
      taken: input.count - stream.pointee.avail_in,
      written: output.count - stream.pointee.avail_out, status: status)
  }

  func restart() -> Bool {
    functions.lzma_stream_decoder(stream, Self.memoryLimitBytes, 0) == 0
  }

  var message: String? { nil }
}
