import Synchronization

/// Image uses that are not written to the database yet. They are written in batches, so that few
/// reads of images cause a write.
package final class PendingImageUses: Sendable {
  /// The uses to be written.
  package struct Batch: Sendable {
    /// The URLs of the used images, each once, in the order of their last use.
    package var urls: [String] = []
    package var hits = 0
    package var misses = 0
    /// The number of evicted images.
    package var evictions = 0

    package var isEmpty: Bool { hits == 0 && misses == 0 && evictions == 0 && urls.isEmpty }
  }

  private struct State {
    /// The sequence number of each image's last use, by URL.
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

  package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// Records a use of an image, or a lookup that found none.
  ///
  /// - Parameters:
  ///   - url: the URL of the image that was used; nil if a lookup found none.
  ///   - isAsked: whether to count a hit, or a miss if `url` is nil. Otherwise only the order of
  ///     the last uses changes.
  /// - Returns: whether the batch is large or old enough to be written; see `ImageCacheLimits`.
  package func note(_ url: String?, isAsked: Bool) -> Bool {
    let now = now()
    return state.withLock { state in
      state.useCount += 1
      if let url { state.numbers[url] = state.useCount }
      if isAsked {
        if url != nil { state.hits += 1 } else { state.misses += 1 }
      }
      let begunAt = state.begunAt ?? now
      state.begunAt = begunAt
      return state.useCount >= ImageCacheLimits.gatheredUses
        || state.numbers.count > ImageCacheLimits.gatheredImages
        || now - begunAt >= .seconds(ImageCacheLimits.gatheredSeconds)
    }
  }

  /// Adds to the number of evictions.
  package func noteEvictions(_ count: Int) { state.withLock { $0.evictions += count } }

  /// The uses since the last `take`, which stay in the batch.
  package var gathered: Batch { state.withLock { $0.batch } }

  /// Removes and returns the current batch.
  package func take() -> Batch {
    state.withLock { state in
      let batch = state.batch
      state = State()
      return batch
    }
  }

  /// Removes and returns the URLs of the used images, in the order of their last use. The counts
  /// stay in the batch.
  package func takeOrder() -> [String] {
    state.withLock { state in
      let urls = state.urls
      state.numbers.removeAll(keepingCapacity: true)
      return urls
    }
  }
}
