extension String {
  /// Whether two texts are equal byte by byte. `==` compares characters: for it, a composed accent
  /// and a combining accent are equal.
  package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
