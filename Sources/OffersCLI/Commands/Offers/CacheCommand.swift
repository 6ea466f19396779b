import ArgumentParser
import Foundation
import OffersCore
import OffersHTTP
import OffersStore
import OffersSync

/// `offers cache`
struct CacheCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Show or clear the cached images.",
    discussion: """
      At most \(ImageCacheLimits.defaultImages) images are cached, unless an app set another limit. The \
      least recently used is evicted first; the images of favorites, up to three fifths, stay.

      EXAMPLES
        offers cache
        offers cache clear
      """)

  enum Action: String, ExpressibleByArgument, CaseIterable { case clear }

  @Argument(help: "clear: remove all images and the record of failed fetches.")
  var action: Action?

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  func run() async throws {
    // Opening for reading fails without a database; opening for writing would create one.
    var database = try await location.open(.readOnly)
    if action == .clear {
      database = try await location.open(.readWrite)
      let count = try await database.clearImages()
      return try Output.print(
        json
          ? .data(#"{"cleared":\#(count)}"#) : "Cleared \(Units.count(count, "image")).")
    }
    let now = Date()
    let contents = try await database.fetchImageContents(now: now)
    try Output.print(json ? .data(Self.json(contents)) : .text(Self.text(contents, at: now)))
  }

  private static func text(_ contents: ImageCacheContents, at now: Date) -> String {
    let images = contents.images
    let bytes = Units.size(images.reduce(0) { $0 + $1.sizeBytes })
    let favorites = images.count(where: \.isFavorite)
    let asked = contents.hits + contents.misses
    let share = asked > 0 ? " (\(contents.hits * 100 / asked) %)" : ""
    var lines = [
      "Holds  \(images.count) of \(contents.limit) images, \(bytes), \(favorites) of favorites",
      "Asked  \(Units.count(asked, "time")), found \(Units.count(contents.hits, "time"))\(share); "
        + "\(Units.count(contents.evictions)) evicted",
    ]
    if !images.isEmpty {
      let columns = [
        Table.Column(title: ""), Table.Column(title: "TYPE"), Table.Column(title: "PIXELS"),
        Table.Column(title: "SIZE", isRight: true), Table.Column(title: "FETCHED"),
        Table.Column(title: "URL"),
      ]
      let rows = images.map { image in
        [
          image.isFavorite ? "★" : " ", image.header.format.title,
          "\(image.header.width) × \(image.header.height)", Units.size(image.sizeBytes),
          Units.age(of: image.fetchedAt, at: now), DisplayText.oneLine(image.url),
        ]
      }
      lines += ["", Table.text(columns, rows)]
    }
    if !contents.failures.isEmpty {
      lines += ["", "Recent failures:"] + failureLines(contents.failures)
    }
    return lines.joined(separator: "\n")
  }

  /// The maximum number of reasons that are printed.
  private static let reasonLimit = 10

  /// Lines with the distinct reasons of failed fetches, the most frequent first, each with its
  /// number of images if it is more than one. A last line counts the images of the reasons left
  /// out.
  static func failureLines(_ failures: [ImageFailure]) -> [String] {
    let reasons = Dictionary(grouping: failures) { failure in
      let host = URLComponents(string: failure.url)?.host ?? "its address"
      return failure.reason.replacing(bytes: failure.url, with: host)
    }.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    var lines = reasons.prefix(reasonLimit).map { reason, images in
      let text =
        images.count == 1
        ? images[0].reason : "\(Units.count(images.count, "image")): \(reason)"
      return "  \(DisplayText.oneLine(text))"
    }
    let rest = reasons.dropFirst(reasonLimit).reduce(0) { $0 + $1.value.count }
    if rest > 0 { lines.append("  and \(Units.count(rest, "other")): offers cache --json") }
    return lines
  }

  private static func json(_ contents: ImageCacheContents) -> String {
    JSONWriter.document { json in
      json.member("capacity", contents.limit)
      json.member("hits", contents.hits)
      json.member("misses", contents.misses)
      json.member("evictions", contents.evictions)
      json.member("images", each: contents.images) { $0.value($1) }
      json.member("failures", objects: contents.failures) { json, failure in
        json.member("url", failure.url)
        json.member("reason", failure.reason)
        json.member("until", failure.until)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ image: CachedImageSummary) {
    object { json in
      json.member("url", image.url)
      json.member("type", image.header.format.contentType)
      json.member("width", image.header.width)
      json.member("height", image.header.height)
      json.member("bytes", image.sizeBytes)
      json.member("favorite", image.isFavorite)
      json.member("fetched_at", image.fetchedAt)
      json.member("fresh_until", image.freshUntil)
    }
  }
}

extension ImageLoader {
  /// Calls a closure with a loader, whose connections are closed at its end.
  static func use<Value>(
    _ images: OffersDatabase, allowsPrivateNetwork: Bool,
    _ body: (ImageLoader) async throws -> Value
  ) async throws -> Value {
    let loader = ImageLoader(
      images: images, allowsPrivateNetwork: allowsPrivateNetwork,
      environment: ProcessContext.findVariable)
    do {
      let value = try await body(loader)
      await loader.close()
      return value
    } catch {
      await loader.close()
      throw error
    }
  }
}
