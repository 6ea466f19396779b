import Expat
import OffersCore
import ZLib

/// Decompresses a document in gzip, zlib, raw deflate, bzip2, xz or ZIP, detected from its first bytes, also one in
/// another, and passes any other text on unchanged. Refuses other known kinds of files by their name.
///
/// Memory use is one buffer of 256 KiB for each compression, and the state of its library. The output does not depend
/// on how the input is divided into chunks. After an error no more bytes may be passed in.
package final class Decompressor {
  private enum Stage {
    case undecided
    case plain
    case packed(any Unpacker, inner: Decompressor)
  }

  /// Whether the document is compressed; false until that is detected.
  package private(set) var isCompressed = false

  /// Whether the server sent `Content-Encoding: deflate`, with which some mean zlib (RFC 1950), as the
  /// standard does, and some mean raw deflate (RFC 1951). To be set before the first bytes.
  package var isRawDeflate: Bool

  private let limitBytes: Int
  /// The number of compressions around this one.
  private let depth: Int
  private var stage = Stage.undecided
  private var held: [UInt8] = []

  /// The largest number of compressions, one in the other.
  private static let depthLimit = 3

  /// - Parameters:
  ///   - limitBytes: the largest decompressed size of a compressed document, also of each compression in it. Other
  ///     documents are not limited here.
  ///   - isRawDeflate: the initial value of the property.
  package convenience init(limitBytes: Int, isRawDeflate: Bool = false) {
    self.init(limitBytes: limitBytes, isRawDeflate: isRawDeflate, depth: 0)
  }

  private init(limitBytes: Int, isRawDeflate: Bool, depth: Int) {
    self.limitBytes = limitBytes
    self.isRawDeflate = isRawDeflate
    self.depth = depth
  }

  /// Decompresses the next bytes and passes them on.
  /// - Throws: `OffersError` with `malformedFeed` for damaged data and for a file that is no feed, `limitExceeded`
  ///   beyond the limit, and any error of `emit`.
  package func consume(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
    guard case .undecided = stage else { return try pass(bytes, emit) }
    try decideCompression(with: bytes, isLast: false, emit)
  }

  /// Passes on the bytes held back, and checks that the document is complete, since no more bytes
  /// follow.
  /// - Throws: the errors of `consume`; `malformedFeed` when the document is cut off.
  package func finish(_ emit: ByteSink) throws {
    if case .undecided = stage {
      try decideCompression(with: UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, emit)
    }
    if case .packed(let unpacker, let inner) = stage {
      try unpacker.finish { try inner.consume($0, emit) }
      try inner.finish(emit)
    }
  }

  private func pass(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
    if bytes.isEmpty { return }
    switch stage {
    case .undecided, .plain: try emit(bytes)
    case .packed(let unpacker, let inner):
      try unpacker.consume(bytes) { try inner.consume($0, emit) }
    }
  }

  /// Takes the kind from the first bytes, which are held until there are enough of them.
  private func decideCompression(
    with bytes: UnsafeRawBufferPointer, isLast: Bool, _ emit: ByteSink
  ) throws {
    var rest = bytes
    let finding: FileKind.Finding
    if held.isEmpty {
      finding = FileKind.find(in: bytes, isRawDeflate: isRawDeflate, isLast: isLast)
    } else {
      let missing = min(FileKind.neededBytes - held.count, bytes.count)
      held.append(contentsOf: bytes.prefix(missing))
      rest = bytes.tail(from: missing)
      finding = held.withUnsafeBytes {
        FileKind.find(in: $0, isRawDeflate: isRawDeflate, isLast: isLast)
      }
    }
    switch finding {
    case .open:
      if held.isEmpty { held.append(contentsOf: bytes) }
      return
    case .plain: stage = .plain
    // A text within another compression may begin with the two bytes of zlib by chance.
    case .packed(.zlib) where depth > 0: stage = .plain
    case .packed(let compression): try open(compression)
    case .foreign(let name): throw Self.refusal(of: name)
    }
    let start = held
    held = []
    try start.withUnsafeBytes { try pass($0, emit) }
    try pass(rest, emit)
  }

  private func open(_ compression: Compression) throws {
    guard depth < Self.depthLimit else {
      throw OffersError(
        .limitExceeded, "The document is compressed more than \(Self.depthLimit) times.",
        hint: "Nothing was changed. Check that the source is an offers feed.")
    }
    let unpacker: any Unpacker =
      switch compression {
      case .zip: ZIPUnpacker(limitBytes: limitBytes)
      case .gzip, .bzip2, .xz, .zlib, .rawDeflate:
        try StreamUnpacker(compression, limitBytes: limitBytes)
      }
    isCompressed = true
    let inner = Decompressor(limitBytes: limitBytes, isRawDeflate: false, depth: depth + 1)
    stage = .packed(unpacker, inner: inner)
  }

  // MARK: Errors

  static func refusal(of name: String) -> OffersError {
    let isPacked = ["compression", "archive"].contains(where: name.contains)
    return OffersError(
      .malformedFeed, "The document is \(name), not a feed.",
      hint: name.contains("workbook")
        ? "Nothing was changed. Save the sheet as CSV."
        : isPacked
          ? "Nothing was changed. Unpack it, and add the document with the offers."
          : "Nothing was changed. Feeds are JSON, XML or tables (CSV, TSV).")
  }

  static func damaged(at byte: Int, cause: String? = nil) -> OffersError {
    OffersError(
      .malformedFeed, "The compressed document is damaged at byte \(byte).",
      hint: "Nothing was changed. It may have been damaged on the way: sync again.",
      cause: cause)
  }

  static let cutOff = OffersError(
    .malformedFeed, "The compressed document ends too early.",
    hint: "Nothing was changed. It may have been cut off on the way: sync again.")

  static let outOfMemory = OffersError(
    .limitExceeded, "There is not enough memory to decompress the document.",
    hint: "Nothing was changed. Sync again when other programs need less of it.")

  /// Returns the functions of a library that a compression needs.
  static func functions<Functions>(
    _ library: Result<Functions, OffersError>, of compression: String
  ) throws -> Functions {
    do {
      return try library.get()
    } catch {
      throw OffersError(
        .malformedFeed, "The document is compressed with \(compression). \(error.message)",
        hint: error.hint, cause: error.cause)
    }
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
