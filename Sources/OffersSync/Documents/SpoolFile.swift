import OffersCore
import OffersPlatform

/// An unlinked temporary file, written sequentially and read from any offset. A failure of the file
/// is thrown as an `OffersError` with `storageFailed`.
package final class SpoolFile: Sendable {
  private let file: TemporaryFile
  private let folder: String

  package init(folder: String) throws {
    self.folder = folder
    do {
      file = try TemporaryFile(folder: folder)
    } catch {
      throw Self.failure("create", folder, error)
    }
  }

  /// Appends bytes: all of them or, on an error, none.
  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try file.append(bytes)
    } catch {
      throw Self.failure("write", folder, error)
    }
  }

  /// Calls `body` with the contents from the start to the end, in chunks.
  package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 8)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      let count = try read(buffer, at: offset)
      if count == 0 { return }
      offset += count
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Reads at an offset until the buffer is full or the file ends, and returns the number of bytes.
  func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
    do {
      return try file.read(bytes, at: offset)
    } catch {
      throw Self.failure("read", folder, error)
    }
  }

  private static func failure(
    _ verb: String, _ place: String, _ error: SystemError
  ) -> OffersError {
    OffersError(
      .storageFailed, "Could not \(verb) a temporary file in \(place): \(error.text).",
      hint: "Nothing was changed. Make room on the disk, or check the folder's permissions.")
  }
}
