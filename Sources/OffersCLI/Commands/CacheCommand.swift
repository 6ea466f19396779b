import ArgumentParser
import Foundation
import OffersCore
import OffersStore

/// `offers cache`
struct CacheCommand: WaitingCommand {
  static let configuration = CommandConfiguration(
    commandName: "cache",
    abstract: "Show the images that are held, or clear them away.",
    discussion: """
      At most 50 are held. The longest unused goes first; the images of up to 30 favorites stay.

      EXAMPLES
        offers cache
        offers cache clear
      """)

  /// What to do with the cache.
  enum Action: String, ExpressibleByArgument, CaseIterable { case clear }

  @Argument(help: "clear: forget all images, and what could not be had.")
  var action: Action?

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: DatabaseOptions

  func run() async throws {
    // Whoever has no database has no cache; opening it for reading says so.
    var database = try location.open(.readOnly)
    if action == .clear {
      database = try location.open(.readWrite)
      let count = try await database.clearImages()
      return Output.print(
        json ? #"{"cleared":\#(count)}"# : "Cleared \(Units.count(count, "image")).")
    }
    let now = Date()
    let contents = try await database.fetchImageContents(now: now)
    Output.print(json ? Self.json(contents) : Self.text(contents, at: now))
  }

  private static func text(_ contents: ImageCacheContents, at now: Date) -> String {
    let images = contents.images
    let bytes = Units.size(images.reduce(0) { $0 + $1.sizeBytes })
    let favorites = images.count(where: \.isFavorite)
    let asked = contents.hits + contents.misses
    let share = asked > 0 ? " (\(contents.hits * 100 / asked) %)" : ""
    var lines = [
      "Holds  \(images.count) of \(ImageBounds.images) images, \(bytes), \(favorites) of favorites",
      "Asked  \(Units.count(asked, "time")), there \(Units.count(contents.hits, "time"))\(share); "
        + "\(Units.count(contents.evictions)) had to go",
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
      let table = Table(columns: columns, sample: rows, totalWidth: Terminal.width)
      lines += ["", table.header] + rows.map(table.line)
    }
    if !contents.failures.isEmpty {
      lines += ["", "Not to be had lately:"]
      lines += contents.failures.map { DisplayText.oneLine("  \($0.reason)") }
    }
    return lines.joined(separator: "\n")
  }

  private static func json(_ contents: ImageCacheContents) -> String {
    var json = JSONWriter()
    json.object { json in
      for (name, count) in [
        ("capacity", ImageBounds.images), ("hits", contents.hits), ("misses", contents.misses),
        ("evictions", contents.evictions),
      ] {
        json.key(name)
        json.value(count)
      }
      json.key("images")
      json.array { json in
        for image in contents.images { json.value(image) }
      }
      json.key("failures")
      json.array { json in
        for failure in contents.failures {
          json.object { json in
            json.key("url")
            json.value(failure.url)
            json.key("reason")
            json.value(failure.reason)
            json.key("until")
            json.value(failure.until)
          }
        }
      }
    }
    return json.text
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ image: CachedImageSummary) {
    object { json in
      json.key("url")
      json.value(image.url)
      json.key("type")
      json.value(image.header.format.contentType)
      json.key("width")
      json.value(image.header.width)
      json.key("height")
      json.value(image.header.height)
      json.key("bytes")
      json.value(image.sizeBytes)
      json.key("favorite")
      json.value(image.isFavorite)
      json.key("fetched_at")
      json.value(image.fetchedAt)
      json.key("fresh_until")
      json.value(image.freshUntil)
    }
  }
}
