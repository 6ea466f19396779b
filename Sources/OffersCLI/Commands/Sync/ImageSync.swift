import OffersCore
import OffersSQLite
import OffersSync

/// Fetches the images that people are most likely to look at, so that they are there offline.
struct ImageSync: Sendable {
  let database: OffersDatabase
  let allowsPrivateNetwork: Bool

  /// What came of it.
  struct Result: Sendable {
    var fetched = 0
    var held = 0
    var failures: [(ref: OfferRef, error: OffersError)] = []

    /// `images: 12 fetched, 38 there already, 0 failed`
    var line: String {
      "images: \(Units.count(fetched)) fetched, \(Units.count(held)) there already, "
        + "\(Units.count(failures.count)) failed"
    }

    /// The reasons, each with the first of the offers that it stands for, then what helps.
    var failureLines: [String] {
      let reasons = Dictionary(grouping: failures) { $0.error.message }
        .sorted { ($0.value[0].ref, $0.key) < ($1.value[0].ref, $1.key) }
      let lines = reasons.map { message, failures in
        let others = failures.count > 1 ? " and \(Units.count(failures.count - 1)) more" : ""
        return "  \(failures[0].ref)\(others): \(message)"
      }
      let hints = Set(failures.compactMap(\.error.hint)).sorted().map { "  " + $0 }
      return (lines + hints).map { DisplayText.oneLine($0) }
    }
  }

  /// - Parameter bar: shows how far it is.
  func run(_ bar: ProgressBar) async throws -> Result {
    let wanted = try await database.fetchWantedImages()
    // What is there already is used first, so that it is not what has to go.
    var held: Set<String> = []
    for image in wanted.reversed() where try await database.touchImage(image.url) {
      held.insert(image.url)
    }
    let loader = ImageLoader(images: database, allowsPrivateNetwork: allowsPrivateNetwork)
    var result = Result()
    bar.show(images: 0, of: wanted.count)
    await withTaskGroup(of: (WantedImage, OffersError?).self) { group in
      // The last fetched is the last used: favorites and the newest are the last to go.
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
      return error as? OffersError ?? OffersError(.sourceFailed, "It was given up.")
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
