/// What is wrong with an export, and where it shows.
struct ExportFault: Error {
  /// The place in memory; only good to find the place in the document.
  let address: UInt
  let reason: String

  init(at place: JSONScanner.Position, _ reason: String) {
    address = UInt(bitPattern: place)
    self.reason = reason
  }
}
