/// Hands over a text's bytes; an empty text has an address, too, as it has in a reader's memory.
func withBytes<Result>(
  of text: String, _ body: (UnsafeRawBufferPointer) throws -> Result
) rethrows -> Result {
  try (Array(text.utf8) + [0]).withUnsafeBytes {
    try body(UnsafeRawBufferPointer(rebasing: $0.dropLast()))
  }
}
