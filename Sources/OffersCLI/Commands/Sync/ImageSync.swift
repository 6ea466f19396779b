import OffersCore
import OffersHTTP
import OffersSQLite
import OffersSync

/// A fetch of the images that users are most likely to look at, for offline use.
struct ImageSync: Sendable {
  let database: OffersDatabase
  let allowsPrivateNetwork: Bool

  /// The result of the fetch.
  struct Result: Sendable {
    var fetched = 0
    var held = 0
    var failures: [(ref: OfferRef, error: OffersError)] = []

    /// A line such as `images: 12 fetched, 38 already cached, 0 failed`.
    var line: String {
      "images: \(Units.count(fetched)) fetched, \(Units.count(held)) already cached, "
        + "\(Units.count(failures.count)) failed"
    }

    /// The reasons of the failures, each with the first of its offers, then the hints.
    var failureLines: [String] {
      let reasons = Dictionary(grouping: failures) { $0.error.message }
        .sorted { ($0.value[0].ref, $0.key) < ($1.value[0].ref, $1.key) }
      let lines = reasons.map { message, failures in
        let others = failures.count > 1 ? " and \(Units.count(failures.count - 1)) more" : ""
        return "  \(failures[0].ref)\(others): \(message)"
      }
      let hints = Set(failures.compactMap(\.error.advice?.commandText)).sorted().map { "  " + $0 }
      return (lines + hints).map { DisplayText.oneLine($0) }
    }
  }

  /// Fetches the images of favorites and of the newest offers, `ImageBounds.images` at most.
  ///
  /// - Parameter bar: shows the progress.
  func run(_ bar: ProgressBar) async throws -> Result {
    let wanted = try await database.fetchWantedImages()
    // Images that are cached already are marked as used first, so that they are not evicted.
    var held: Set<String> = []
    for image in wanted.reversed() where try await database.touchImage(image.url) {
      held.insert(image.url)
    }
    let loader = ImageLoader(images: database, allowsPrivateNetwork: allowsPrivateNetwork)
    var result = Result()
    bar.show(images: 0, of: wanted.count)
    await withTaskGroup(of: (WantedImage, OffersError?).self) { group in
      // The list begins with the favorites and the newest offers. They are fetched last, so that
      // they are the most recently used images, which are evicted last.
      for image in wanted.reversed() { group.addTask { (image, await fetch(image, loader)) } }
      var done = 0
      for await (image, error) in group {
        done += 1
        bar.show(images: done, of: wanted.count)
        if let error {
          result.failures.append((image.ref, error))
        } else if held.contains(image.url) {
          result.held += 1
        } else {
          result.fetched += 1
        }
      }
    }
    bar.clear()
    await loader.close()
    result.failures.sort { $0.ref < $1.ref }
    return result
  }

  private func fetch(_ image: WantedImage, _ loader: ImageLoader) async -> OffersError? {
    do {
      _ = try await loader.image(at: image.url, feedSource: image.source)
      return nil
    } catch {
      return error as? OffersError ?? OffersError(.sourceFailed, "The fetch was cancelled.")
    }
  }
}

extension JSONWriter {
  /// `{"fetched","held","failed":[{"ref","reason"}]}`
  mutating func value(_ result: ImageSync.Result) {
    object { json in
      json.member("fetched", result.fetched)
      json.member("held", result.held)
      json.member("failed", objects: result.failures) { json, failure in
        json.member("ref", failure.ref.description)
        json.member("reason", failure.error.message)
      }
    }
  }
}
