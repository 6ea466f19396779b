import ArgumentParser
import Foundation
import OffersCore

/// `offers scale-picture`, which the server runs: it reads a picture from standard input, and prints its
/// copy for lists.
struct ScalePictureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: PictureScaler.command,
    abstract: "Make a picture smaller, for the server.",
    shouldDisplay: false)

  @Argument(help: ArgumentHelp("The format of the picture.", visibility: .hidden))
  var format: String?

  @Flag(name: .long, help: ArgumentHelp("Print the formats.", visibility: .hidden))
  var formats = false

  func run() async throws {
    if formats {
      let names = PixbufLibrary()?.formats.map(\.rawValue) ?? []
      return try Output.printData(names.joined(separator: "\n"))
    }
    guard let format = format.flatMap(ImageFormat.init(rawValue:)) else {
      throw OffersError(.invalidRequest, "Name the format of the picture.")
    }
    let input = FileHandle(
      fileDescriptor: ProcessContext.current.input, closeOnDealloc: false)
    let picture = try input.read(upToCount: ImageCacheLimits.bytes + 1) ?? Data()
    guard picture.count <= ImageCacheLimits.bytes else {
      throw OffersError(.limitExceeded, "The picture has too many bytes.")
    }
    try Output.printBytes(try PixbufLibrary.copy(of: Array(picture), format))
  }
}
