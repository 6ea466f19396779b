import Foundation
import OffersCore

/// Hands over a document's bytes in pieces.
///
/// - Parameters:
///   - totalBytes: the size when it is known beforehand.
///   - piece: the next bytes, valid during the call.
package typealias PieceHandler = (_ piece: UnsafeRawBufferPointer, _ totalBytes: Int?) throws ->
  Void

/// Reads a file descriptor to its end in pieces of 256 KiB.
enum FileDocument {
  static let pieceBytes = 256 << 10

  /// - Throws: `OffersError` with `notFound` when there is no such file, `sourceFailed` when it
  ///   cannot be read.
  static func read(path: String, _ handle: PieceHandler) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let isMissing = errno == ENOENT || errno == ENOTDIR
      throw OffersError(
        isMissing ? .notFound : .sourceFailed,
        isMissing
          ? "There is no file \(path)." : "Could not open \(path): \(reason()).",
        hint: "Nothing was changed. Check the path and its permissions.")
    }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else {
      throw OffersError(.sourceFailed, "Could not read \(path): \(reason()).")
    }
    if information.st_mode & S_IFMT == S_IFDIR {
      throw OffersError(
        .sourceFailed, "\(path) is a folder, not a file.",
        hint: "Nothing was changed. Name a file in it.")
    }
    let size = information.st_mode & S_IFMT == S_IFREG ? Int(information.st_size) : nil
    try read(descriptor: descriptor, name: path, totalBytes: size, handle)
  }

  /// The size of an ordinary file; nil for a pipe, which gives its bytes only once.
  static func findSize(path: String) -> Int? {
    var information = stat()
    guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(information.st_size)
  }

  static func readStandardInput(_ handle: PieceHandler) throws {
    try read(descriptor: STDIN_FILENO, name: "standard input", totalBytes: nil, handle)
  }

  private static func read(
    descriptor: Int32, name: String, totalBytes: Int?, _ handle: PieceHandler
  ) throws {
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: pieceBytes, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = Glibc.read(descriptor, buffer, pieceBytes)
      if count < 0 {
        if errno == EINTR { continue }
        throw OffersError(
          .sourceFailed, "Could not read \(name): \(reason()).", hint: "Nothing was changed.")
      }
      if count == 0 { return }
      try handle(UnsafeRawBufferPointer(start: buffer, count: count), totalBytes)
    }
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
