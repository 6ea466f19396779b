import OffersCore
import OffersFeeds

/// The result of a stage of the pipeline for a document in chunks.
struct StageRun: Equatable {
  var bytes: [UInt8] = []
  var error: OffersError?

  var text: String { String(decoding: bytes, as: UTF8.self) }

  typealias Sink = (UnsafeRawBufferPointer) throws -> Void

  /// Passes a document through a stage in chunks, whose sizes repeat; no sizes for one chunk.
  init(
    _ document: [UInt8], pieceSizes: [Int],
    consume: (UnsafeRawBufferPointer, Sink) throws -> Void, finish: (Sink) throws -> Void
  ) {
    var written: [UInt8] = []
    do {
      try Self.split(document, pieceSizes) { piece in
        try consume(piece) { written.append(contentsOf: $0) }
      }
      try finish { written.append(contentsOf: $0) }
    } catch let failure as OffersError {
      error = failure
    } catch {
      self.error = OffersError(.invalidRequest, "not an OffersError: \(error)")
    }
    bytes = written
  }

  /// Divides a document into separately allocated chunks, so that reading past their end is detected.
  static func split(
    _ document: [UInt8], _ pieceSizes: [Int], _ body: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    if pieceSizes.isEmpty { return try document.withUnsafeBytes { try body($0) } }
    var start = 0
    var round = 0
    while start < document.count {
      let end = min(start + pieceSizes[round % pieceSizes.count], document.count)
      try Array(document[start..<end]).withUnsafeBytes { try body($0) }
      start = end
      round += 1
    }
  }

  static func decompressing(
    _ document: [UInt8], limitBytes: Int = 1 << 30, isRawDeflate: Bool = false,
    pieceSizes: [Int] = []
  ) -> StageRun {
    let stage = Decompressor(limitBytes: limitBytes, isRawDeflate: isRawDeflate)
    return StageRun(
      document, pieceSizes: pieceSizes, consume: { try stage.consume($0, $1) },
      finish: { try stage.finish($0) })
  }

  static func transcoding(
    _ document: [UInt8], charset: String? = nil, isCertain: Bool = false, pieceSizes: [Int] = []
  ) -> StageRun {
    let stage = TextTranscoder(charset: charset, isCertain: isCertain)
    return StageRun(
      document, pieceSizes: pieceSizes, consume: { try stage.consume($0, $1) },
      finish: { try stage.finish($0) })
  }

  struct Mended: Equatable {
    var run: StageRun
    var count: Int
    var text: String { run.text }
  }

  static func mending(_ document: [UInt8], pieceSizes: [Int] = []) -> Mended {
    let stage = XMLMender()
    let run = StageRun(
      document, pieceSizes: pieceSizes, consume: { try stage.consume($0, $1) },
      finish: { try stage.finish($0) })
    return Mended(run: run, count: stage.mendedCount)
  }
}
