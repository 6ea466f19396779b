import OffersCore
import Synchronization

/// The uses of images that are not written down yet, so that reading one is no write.
final class ImageUses: Sendable {
  /// What there is to write down.
  struct Batch: Sendable {
    /// The images that were used, each once, in the order of their last use.
    var urls: [String] = []
    var hits = 0
    var misses = 0
    /// How often an image had to go for another.
    var evictions = 0

    var isEmpty: Bool { hits == 0 && misses == 0 && evictions == 0 && urls.isEmpty }
  }

  private struct State {
    /// The number of each image's last use.
    var numbers: [String: Int] = [:]
    var useCount = 0
    var hits = 0
    var misses = 0
    var evictions = 0
    var begunAt: ContinuousClock.Instant?

    var urls: [String] { numbers.sorted { $0.value < $1.value }.map(\.key) }

    var batch: Batch { Batch(urls: urls, hits: hits, misses: misses, evictions: evictions) }
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> ContinuousClock.Instant

  /// Most images whose order is remembered: other processes may replace those that are held.
  private static let urlLimit = 4 * ImageBounds.images

  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// Notes a use; nil for an image that was asked for and is not held.
  ///
  /// - Returns: whether it is time to write them down.
  func note(_ url: String?, isAsked: Bool) -> Bool {
    let now = now()
    return state.withLock { state in
      state.useCount += 1
      if let url { state.numbers[url] = state.useCount }
      if isAsked {
        if url != nil { state.hits += 1 } else { state.misses += 1 }
      }
      let begunAt = state.begunAt ?? now
      state.begunAt = begunAt
      return state.useCount >= ImageBounds.gatheredUses || state.numbers.count > Self.urlLimit
        || now - begunAt >= .seconds(ImageBounds.gatheredSeconds)
    }
  }

  /// Counts an image that had to go.
  func noteEviction() { state.withLock { $0.evictions += 1 } }

  /// What there is to write down.
  var gathered: Batch { state.withLock { $0.batch } }

  /// Hands over what there is to write down.
  func take() -> Batch {
    state.withLock { state in
      let batch = state.batch
      state = State()
      return batch
    }
  }

  /// Hands over the images that were used, in their order. How often they were asked for can wait.
  func takeOrder() -> [String] {
    state.withLock { state in
      let urls = state.urls
      state.numbers.removeAll(keepingCapacity: true)
      return urls
    }
  }
}
