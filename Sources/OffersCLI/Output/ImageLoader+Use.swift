import OffersCore
import OffersHTTP
import OffersSync

extension ImageLoader {
  /// Calls a closure with a loader, whose connections are closed at its end.
  static func use<Value>(
    _ images: any ImageFetchStore, allowsPrivateNetwork: Bool,
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
