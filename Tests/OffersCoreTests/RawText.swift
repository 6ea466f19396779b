/// Passes a text's bytes to a closure. An empty text has an address, too, as in a reader's memory.
func withBytes<Result>(
  of text: String, _ body: (UnsafeRawBufferPointer) throws -> Result
) rethrows -> Result {
  try (Array(text.utf8) + [0]).withUnsafeBytes {
    try body(UnsafeRawBufferPointer(rebasing: $0.dropLast()))
  }
}
