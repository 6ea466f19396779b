import ArgumentParser
import Foundation
import OffersCore
import OffersHTTP
import OffersPlatform
import OffersSync

struct ImageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "image",
    abstract: "Get the image of an offer.",
    usage: "offers image <id> [<options>]",
    discussion: """
      The image comes from the cache, or from its server and is then cached.

      EXAMPLES
        offers image 900117 -o sauce.png
        offers image 900117 | magick - sauce.pdf
      """)

  @Argument(help: "The offer: 900117, or ibotta:900117 when several feeds have that id.")
  var id: String

  @Option(
    name: [.short, .long],
    help: .value(
      "file", "The file to write, or - for standard output (the default unless that is a terminal)."
    ))
  var output: String?

  @Flag(help: "Print one JSON document about the image instead of its bytes.") var json = false
  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if json && output == "-" { throw ValidationError("--json and -o - exclude each other.") }
  }

  func run() async throws {
    if output == nil, !json, Terminal.isOutput {
      throw OffersError(
        .invalidRequest, "The bytes of an image cannot be shown on a terminal.",
        hint: "Write it to a file with -o FILE, or see it with: "
          + "offers show \(ShellQuoting.word(id)) --images always")
    }
    // Opened for reading first, which fails without a database instead of creating one.
    let offer = try await location.open(.readOnly).fetchOffer(named: id)
    guard offer.imageURLText != nil else {
      throw OffersError(.notFound, "\(offer.ref) has no image.")
    }
    let database = try await location.open(.readWrite)
    // Created before the fetch, so that nothing is fetched if the file cannot be written.
    let file = try output.flatMap {
      $0 == "-" ? nil : try AtomicFile(output: $0, isPublic: true, beside: database)
    }
    let image = try await ImageLoader.withLoader(
      database, allowsPrivateNetwork: try network.allowsPrivateNetwork(configuration.path.load())
    ) {
      try await $0.image(of: offer)
    }
    if let file {
      try image.bytes.withUnsafeBytes(file.append)
      try file.commit()
      if !json { Self.describe(image, in: output ?? "") }
    }
    if json {
      let header = image.header
      try Output.print(
        .json([
          "ref": offer.ref.description, "url": image.url, "type": header.format.contentType,
          "width": header.width, "height": header.height, "bytes": image.bytes.count,
          "fetched_at": image.fetchedAt, "fresh_until": image.freshUntil,
        ]))
    } else if output == nil || output == "-" {
      try Output.printBytes(image.bytes)
    }
  }

  private static func describe(_ image: CachedImage, in output: String) {
    let header = image.header
    Output.note(
      .line(
        "\(output): \(header.format.title), \(header.width) × \(header.height), "
          + Units.size(image.bytes.count)))
  }
}
