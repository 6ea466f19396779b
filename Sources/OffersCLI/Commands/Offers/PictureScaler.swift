import ArgumentParser
import ChildProcesses
import Foundation
import Glibc
import OffersCore
import OffersSync
import PixbufShim
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

  /// - Parameter path: the program `offers`. By default it is this process's own file, even after another version
  ///   was installed in its place.
  init(
    path: String = "/proc/\(getpid())/exe",
    memoryKilobytes: Int = PictureScaler.usualMemoryKilobytes, seconds: Int = 5
  ) {
    program = BoundedProgram(
      path, memoryKilobytes: memoryKilobytes, outputBytes: ImageCacheLimits.bytes, seconds: seconds)
  }

  func copy(of image: CachedImage, width: Int) async throws -> ScaledImage? {
    let format = image.header.format
    // A thread of its own, because it waits for the child.
    let copy: [UInt8]?? = try await OwnThread.run { [self] in
      guard findFormats().contains(format) else { return nil }
      let words = [Self.command, format.rawValue, String(width)]
      // A program that cannot be started says nothing about the image.
      return try? .some(program.output(words, input: image.bytes))
    }
    guard let copy else { return nil }
    let colorBytes = Int(OFFERS_PIXBUF_COLORS)
    guard let copy, copy.count > colorBytes else {
      throw OffersError(
        .malformedImage, "It is damaged, or takes too much time or memory to decode.")
    }
    return ScaledImage(
      bytes: Array(copy.dropFirst(colorBytes)),
      colors: PictureColors(rgb: Array(copy.prefix(colorBytes))))
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
        hint: "For smaller copies install gdk-pixbuf (Debian: libgdk-pixbuf-2.0-0)")
    }
    let formats = library.formats.map(\.title).sorted().joined(separator: ", ")
    return Finding(
      .ok, "pictures", "lists show smaller copies of \(formats), by gdk-pixbuf \(library.version)")
  }
}

/// `offers scale-picture`, which the server runs: it reads a picture from standard input, and prints its
/// colors, in nine bytes, and its copy for lists.
struct ScalePictureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: PictureScaler.command,
    abstract: "Make a picture smaller, for the server.",
    shouldDisplay: false)

  @Argument(help: ArgumentHelp("The format of the picture.", visibility: .hidden))
  var format: String?

  @Argument(help: ArgumentHelp("The width of the copy in pixels.", visibility: .hidden))
  var width: Int?

  @Flag(help: ArgumentHelp("Print the formats.", visibility: .hidden)) var formats = false

  func run() async throws {
    if formats {
      let names = PixbufLibrary()?.formats.map(\.rawValue) ?? []
      return try Output.printData(names.joined(separator: "\n"))
    }
    guard let format = format.flatMap(ImageFormat.init(rawValue:)),
      let width, ImageCacheLimits.thumbnailWidths.contains(width)
    else {
      throw OffersError(.invalidRequest, "Name the format of the picture and a width.")
    }
    let input = FileHandle(
      fileDescriptor: ProcessContext.current.input, closeOnDealloc: false)
    let picture = try input.read(upToCount: ImageCacheLimits.bytes + 1) ?? Data()
    guard picture.count <= ImageCacheLimits.bytes else {
      throw OffersError(.limitExceeded, "The picture has too many bytes.")
    }
    try Output.printBytes(try PixbufLibrary.copy(of: Array(picture), format, width: width))
  }
}

/// The library gdk-pixbuf, which decodes and scales pictures. It need not be installed.
///
/// It reads the bytes of untrusted servers, so only a process that does nothing else decodes with it:
/// `PictureScaler` starts one for each picture.
struct PixbufLibrary {
  let version: String
  /// The formats that the library decodes. Those that came with it are JPEG, PNG and GIF; Debian's package
  /// `webp-pixbuf-loader` adds WebP.
  let formats: [ImageFormat]

  /// - Returns: nil if the library is not installed.
  init?() {
    var text = [CChar](repeating: 0, count: Int(OFFERS_PIXBUF_TEXT))
    guard offers_pixbuf_describe(&text) else { return nil }
    let words = Self.string(text).split(scalar: " ")
    version = words.first.map(String.init) ?? ""
    formats = words.dropFirst().compactMap { ImageFormat(rawValue: String($0)) }
  }

  /// The colors of a picture, in nine bytes, and its copy for lists, as a JPEG or PNG.
  static func copy(
    of picture: [UInt8], _ format: ImageFormat, width: Int
  ) throws -> [UInt8] {
    var colors = [UInt8](repeating: 0, count: Int(OFFERS_PIXBUF_COLORS))
    var problem = [CChar](repeating: 0, count: Int(OFFERS_PIXBUF_TEXT))
    var count = 0
    guard
      let copy = offers_pixbuf_scale(
        picture, picture.count, format.rawValue, Int32(width),
        Int32(ImageCacheLimits.thumbnailHeight(at: width)), &count, &colors, &problem)
    else { throw OffersError(.malformedImage, string(problem)) }
    return colors + UnsafeBufferPointer(start: copy, count: count)
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
