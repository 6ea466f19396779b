import Foundation
import OffersCore
import OffersPlatform

/// Reads a file or standard input to its end, in chunks of at most 256 KiB.
///
/// A pipe can block the thread for an unlimited time, so the caller runs on `OwnThread`.
enum FileDocument {
  static let pieceBytes = 256 << 10

  /// Passes the bytes of a file to `handle`.
  ///
  /// - Parameter begin: called once the file is open, before its first byte.
  /// - Throws: `OffersError` with `notFound` when there is no such file, `sourceFailed` when it
  ///   cannot be read; `CancellationError`, checked before each chunk; the errors of `handle`.
  static func read(
    path: String, _ begin: (DocumentMetadata) async throws -> Void = { _ in },
    _ handle: PieceHandler
  ) async throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw openingFailure(path, .last("open")) }
    defer { close(descriptor) }
    let status: FileStatus
    do {
      status = try FileStatus(of: descriptor)
    } catch {
      throw readingFailure(path, error)
    }
    if status.isFolder {
      throw OffersError(
        .sourceFailed, "\(path) is a folder, not a file.",
        hint: "Nothing was changed. Name a file in it.")
    }
    try await read(
      descriptor: descriptor, name: path, totalBytes: status.isRegular ? status.bytes : nil, begin,
      handle)
  }

  /// The size of a regular file in bytes; nil for anything else, such as a pipe or a missing file.
  static func findSize(path: String) -> Int? {
    // Reading the file reports why it cannot be looked at.
    guard let status = (try? FileStatus.find(path)) ?? nil, status.isRegular else { return nil }
    return status.bytes
  }

  static func readStandardInput(
    _ begin: (DocumentMetadata) async throws -> Void, _ handle: PieceHandler
  ) async throws {
    try await read(descriptor: STDIN_FILENO, name: "standard input", totalBytes: nil, begin, handle)
  }

  private static func read(
    descriptor: Int32, name: String, totalBytes: Int?,
    _ begin: (DocumentMetadata) async throws -> Void, _ handle: PieceHandler
  ) async throws {
    try await begin(DocumentMetadata(totalBytes: totalBytes))
    try forEachPiece(of: descriptor, named: name, handle)
  }

  /// Passes the bytes of an open file to `handle`.
  ///
  /// - Throws: `OffersError` with `sourceFailed`; `CancellationError`; the errors of `handle`.
  static func forEachPiece(
    of descriptor: Int32, named name: String, _ handle: PieceHandler
  ) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      try Task.checkCancellation()
      let count: Int
      do {
        count = try FileOperations.readNext(into: buffer, from: descriptor)
      } catch {
        throw readingFailure(name, error)
      }
      if count == 0 { return }
      try handle(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// The error of a file that could not be opened.
  static func openingFailure(_ path: String, _ error: SystemError) -> OffersError {
    let isMissing = [ENOENT, ENOTDIR].contains(error.number)
    return OffersError(
      isMissing ? .notFound : .sourceFailed,
      isMissing ? "There is no file \(path)." : "Could not open \(path): \(error.text).",
      hint: "Nothing was changed. Check the path and its permissions.")
  }

  /// The error of a file that could not be read.
  private static func readingFailure(_ name: String, _ error: SystemError) -> OffersError {
    OffersError(
      .sourceFailed, "Could not read \(name): \(error.text).", hint: "Nothing was changed.")
  }
}
