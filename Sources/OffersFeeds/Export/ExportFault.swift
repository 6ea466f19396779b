/// A mistake in an export, and its address.
struct ExportFault: Error {
  /// The address in memory, from which the position in the document is computed. It is never
  /// dereferenced.
  let address: UInt
  let reason: String

  init(at place: JSONScanner.Position, _ reason: String) {
    address = UInt(bitPattern: place)
    self.reason = reason
  }
}
