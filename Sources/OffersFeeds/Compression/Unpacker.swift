import OffersCore

/// Takes the content out of a compressed file.
protocol Unpacker: AnyObject {
  /// Unpacks the next bytes and passes them on.
  func consume(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws

  /// Checks that the file is complete, since no more bytes follow.
  func finish(_ emit: ByteSink) throws
}

/// The output of an unpacker, with a limit.
struct UnpackedOutput {
  private let limitBytes: Int
  private var writtenBytes = 0
  private let buffer: UnsafeMutableRawBufferPointer

  private static let bufferBytes = 256 << 10

  init(limitBytes: Int) {
    self.limitBytes = limitBytes
    buffer = .allocate(byteCount: Self.bufferBytes, alignment: 16)
  }

  func deallocate() { buffer.deallocate() }

  /// Passes bytes on, up to the limit.
  mutating func pass(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
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

  /// Decompresses up to the end of a stream, or all bytes, and removes what it has read from `rest`; returns true
  /// at the end of the stream.
  ///
  /// - Parameter readBytes: the number of bytes read before, for messages.
  mutating func decode(
    _ rest: inout UnsafeRawBufferPointer, with decoder: any StreamDecoder, readBytes: inout Int,
    _ emit: ByteSink
  ) throws -> Bool {
    while true {
      let step = decoder.decode(rest, into: buffer)
      rest = rest.tail(from: step.taken)
      readBytes += step.taken
      try pass(UnsafeRawBufferPointer(buffer).slice(0, step.written), emit)
      switch step.status {
      case .ended: return true
      case .outOfMemory: throw Decompressor.outOfMemory
      case .damaged: throw Decompressor.damaged(at: readBytes, cause: decoder.message)
      case .more:
        // When the buffer is full, the library may hold more output even if all input was consumed.
        if step.taken + step.written == 0 || rest.isEmpty && step.written < buffer.count {
          return false
        }
      }
    }
  }
}

/// Decompresses a file that is one stream, or several, one after the other, in gzip, bzip2 and xz.
final class StreamUnpacker: Unpacker {
  private enum Stage {
    case stream
    /// After a stream: zero bytes or the end may follow, or another stream.
    case behind
    /// Within the zero bytes that pad the last block of a tape or disk.
    case padding
  }

  private let decoder: any StreamDecoder
  private let hasSeveral: Bool
  private var output: UnpackedOutput
  private var stage = Stage.stream
  private var readBytes = 0

  init(_ compression: Compression, limitBytes: Int) throws {
    decoder =
      switch compression {
      case .gzip: try DeflateDecoder(windowBits: 15 + 16)
      case .zlib: try DeflateDecoder(windowBits: 15)
      case .rawDeflate, .zip: try DeflateDecoder(windowBits: -15)
      case .bzip2: try Bzip2Decoder()
      case .xz: try XZDecoder()
      }
    hasSeveral = [.gzip, .bzip2, .xz].contains(compression)
    output = UnpackedOutput(limitBytes: limitBytes)
  }

  deinit { output.deallocate() }

  func consume(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
    var rest = bytes
    while let first = rest.first {
      switch stage {
      case .stream:
        if try output.decode(&rest, with: decoder, readBytes: &readBytes, emit) { stage = .behind }
      case .behind where hasSeveral && first != 0:
        guard decoder.restart() else { throw Decompressor.outOfMemory }
        stage = .stream
      case .behind, .padding:
        stage = .padding
        guard first == 0 else { throw Decompressor.damaged(at: readBytes) }
        readBytes += 1
        rest = rest.tail(from: 1)
      }
    }
  }

  func finish(_ emit: ByteSink) throws {
    if case .stream = stage { throw Decompressor.cutOff }
  }
}
