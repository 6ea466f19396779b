import ArgumentParser
import Foundation
import OffersCore
import OffersHTTP
import OffersStore
import OffersSync

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

  @Argument(help: "clear: remove all images and the record of failed fetches.") var action: Action?
  @Flag(.json) var json = false
  @OptionGroup var location: DatabaseOptions

  func run() async throws {
    // Opening for reading fails without a database; opening for writing would create one.
    var database = try await location.open(.readOnly)
    if action == .clear {
      database = try await location.open(.readWrite)
      let count = try await database.clearImages()
      return try Output.print(
        json ? .json(["cleared": count]) : "Cleared \(Units.count(count, "image")).")
    }
    let now = Date()
    let contents = try await database.fetchImageContents(now: now)
    try Output.print(json ? .json(Self.document(contents)) : .text(Self.text(contents, at: now)))
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
      let columns: [Table.Column] = [
        .text(""), .text("TYPE"), .text("PIXELS"), .right("SIZE"), .text("FETCHED"), .text("URL"),
      ]
      let table = Table.text(columns, images) { image in
        [
          image.isFavorite ? "★" : " ", image.header.format.title,
          "\(image.header.width) × \(image.header.height)", Units.size(image.sizeBytes),
          Units.age(of: image.fetchedAt, at: now), DisplayText.oneLine(image.url),
        ]
      }
      lines += ["", table]
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

  private static func document(_ contents: ImageCacheContents) -> JSONObject {
    [
      "capacity": contents.limit, "hits": contents.hits, "misses": contents.misses,
      "evictions": contents.evictions,
      "images": contents.images.map { image -> JSONObject in
        [
          "url": image.url, "type": image.header.format.contentType, "width": image.header.width,
          "height": image.header.height, "bytes": image.sizeBytes, "favorite": image.isFavorite,
          "fetched_at": image.fetchedAt, "fresh_until": image.freshUntil,
        ]
      },
      "failures": contents.failures.map { failure -> JSONObject in
        ["url": failure.url, "reason": failure.reason, "until": failure.until]
      },
    ]
  }
}

extension ImageLoader {
  /// Calls a closure with a loader, whose connections are closed at its end.
  static func withLoader<Value>(
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
