import ChildProcesses
import Foundation
import Glibc
import OffersCore
import OffersSync
import Synchronization

/// Makes the copies of images for lists, each in a child process of this program (`offers scale-picture`)
/// with limits on its time and memory, because images come from untrusted servers.
final class PictureScaler: ImageScaler {
  private let program: BoundedProgram
  /// The formats that this system decodes, which the first copy finds out.
  private let formats = Mutex<[ImageFormat]?>(nil)

  /// The name of the command that a child runs.
  static let command = "scale-picture"

  /// The most memory of a child, in KiB: an image of 50 megapixels takes 200 MB, and another 150 MB if it is a
  /// progressive JPEG.
  static let usualMemoryKilobytes = 600_000

  /// - Parameters:
  ///   - path: the program `offers`. By default it is this process's own file, even after another version
  ///     was installed in its place.
  ///   - memoryKilobytes: the most memory of a child, in KiB.
  ///   - seconds: the most time of a child.
  init(
    path: String = "/proc/\(getpid())/exe",
    memoryKilobytes: Int = PictureScaler.usualMemoryKilobytes, seconds: Int = 5
  ) {
    program = BoundedProgram(
      path, memoryKilobytes: memoryKilobytes, outputBytes: ImageCacheLimits.bytes, seconds: seconds)
  }

  func copy(of image: CachedImage) async throws -> [UInt8]? {
    let format = image.header.format
    // A thread of its own, because it waits for the child.
    let copy: [UInt8]?? = try await OwnThread.run { [self] in
      guard findFormats().contains(format) else { return nil }
      let words = [Self.command, format.rawValue]
      // A program that cannot be started says nothing about the image.
      return try? .some(program.output(words, input: image.bytes))
    }
    guard let copy else { return nil }
    guard let copy, !copy.isEmpty else {
      throw OffersError(
        .malformedImage, "It is damaged, or takes too much time or memory to decode.")
    }
    return copy
  }

  private func findFormats() -> [ImageFormat] {
    if let found = formats.withLock({ $0 }) { return found }
    // A child that could not run, as on a busy machine, has not said that there are none.
    guard let output = try? program.output([Self.command, "--formats"]) else { return [] }
    let found = String(decoding: output, as: UTF8.self).split(scalar: "\n").compactMap {
      ImageFormat(rawValue: String($0))
    }
    formats.withLock { $0 = found }
    return found
  }

  /// Whether pictures are made smaller, for `offers doctor`.
  static var finding: Finding {
    guard let library = PixbufLibrary() else {
      return Finding(
        .ok, "pictures", "lists show them in their full size",
        advice: "For smaller copies install gdk-pixbuf (Debian: libgdk-pixbuf-2.0-0)")
    }
    let formats = library.formats.map(\.title).sorted().joined(separator: ", ")
    return Finding(
      .ok, "pictures", "lists show smaller copies of \(formats), by gdk-pixbuf \(library.version)")
  }
}
