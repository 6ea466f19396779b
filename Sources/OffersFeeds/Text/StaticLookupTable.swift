/// A sorted table of short ASCII names and their values, in one string literal.
///
/// The literal is part of the program's constant data: nothing is built at run time, and a lookup
/// is a binary search. Each cell is a name padded with spaces to `nameWidth`, a value of exactly
/// `valueWidth` bytes, and one space or line feed; the last cell has one, too.
struct StaticLookupTable {
  private let cells: StaticString
  private let nameWidth: Int
  private let valueWidth: Int

  init(_ cells: StaticString, nameWidth: Int, valueWidth: Int) {
    self.cells = cells
    self.nameWidth = nameWidth
    self.valueWidth = valueWidth
  }

  private var cellWidth: Int { nameWidth + valueWidth + 1 }

  var count: Int { cells.utf8CodeUnitCount / cellWidth }

  /// The name and value of a cell, as pointers to constant data.
  subscript(position: Int) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    let start = UnsafeRawPointer(cells.utf8Start) + position * cellWidth
    return (
      UnsafeRawBufferPointer(start: start, count: nameWidth),
      UnsafeRawBufferPointer(start: start + nameWidth, count: valueWidth)
    )
  }

  /// - Parameters:
  ///   - name: the name to look up, without padding.
  ///   - anyCase: whether the case of the name is ignored; the names in the table must then have no
  ///     capital letters.
  /// - Returns: the bytes of the value; nil for a name that is not in the table.
  func findValue(_ name: UnsafeRawBufferPointer, anyCase: Bool = false) -> UnsafeRawBufferPointer? {
    guard !name.isEmpty, name.count <= nameWidth else { return nil }
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let cell = self[middle]
      let order = compare(name, cell.name, anyCase)
      if order == 0 { return cell.value }
      if order < 0 { high = middle } else { low = middle + 1 }
    }
    return nil
  }

  private func compare(
    _ name: UnsafeRawBufferPointer, _ cell: UnsafeRawBufferPointer, _ anyCase: Bool
  ) -> Int {
    for index in 0..<nameWidth {
      var byte: UInt8 = index < name.count ? name[index] : 0x20
      if anyCase, byte &- 0x41 < 26 { byte |= 0x20 }
      // A space in the name must not match the padding.
      if index < name.count, byte <= 0x20 { return -1 }
      if byte != cell[index] { return Int(byte) - Int(cell[index]) }
    }
    return 0
  }
}
