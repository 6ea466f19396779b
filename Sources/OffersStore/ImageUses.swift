import OffersCore
import Synchronization

/// The uses of images that are not written down yet, so that reading one is no write.
final class ImageUses: Sendable {
  /// Uses to write down.
  struct Batch: Sendable {
    /// The images that were used, each once, in the order of their last use.
    var urls: [String] = []
    var hits = 0
    var misses = 0

    var isEmpty: Bool { hits == 0 && misses == 0 && urls.isEmpty }
  }

  private struct State {
    /// The number of each image's last use.
    var numbers: [String: Int] = [:]
    var count = 0
    var hits = 0
    var misses = 0

    var batch: Batch {
      Batch(
        urls: numbers.sorted { $0.value < $1.value }.map(\.key), hits: hits, misses: misses)
    }
  }

  private let state = Mutex(State())

  /// Notes a use; nil for an image that was asked for and is not held.
  ///
  /// - Returns: whether it is time to write them down.
  func note(_ url: String?, isAsked: Bool) -> Bool {
    state.withLock { state in
      state.count += 1
      if let url { state.numbers[url] = state.count }
      if isAsked {
        if url != nil { state.hits += 1 } else { state.misses += 1 }
      }
      return state.count >= ImageBounds.gatheredUses
    }
  }

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
}
