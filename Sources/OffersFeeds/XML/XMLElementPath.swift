/// The names of the open elements, starting with the root.
final class XMLElementPath {
  private(set) var depth = 0
  private let names: UnsafeMutableRawBufferPointer
  private let ends: UnsafeMutableBufferPointer<Int>

  private static let shownNames = 12
  /// The largest number of bytes that a canonical prefix adds to a name.
  private static let prefixBytes = 16

  init() {
    let depth = XMLTokenReader.depthLimit
    names = .allocate(
      byteCount: depth * (XMLTokenReader.nameBytes + Self.prefixBytes), alignment: 1)
    ends = .allocate(capacity: depth + 1)
    ends.initialize(repeating: 0)
  }

  deinit {
    names.deallocate()
    ends.deallocate()
  }

  /// The name of the innermost element.
  var last: UnsafeRawBufferPointer { name(at: depth) }

  /// The names with dots between them; of more than 12 names, the last 12 after an ellipsis.
  var text: String {
    let first = max(1, depth - Self.shownNames + 1)
    let shown =
      depth == 0 ? [] : (first...depth).map { String(decoding: name(at: $0), as: UTF8.self) }
    return (first > 1 ? "…" : "") + shown.joined(separator: ".")
  }

  @inline(__always)
  func push(_ name: UnsafeRawBufferPointer) {
    let start = ends[depth]
    UnsafeMutableRawBufferPointer(rebasing: names[start...]).copyMemory(from: name)
    depth += 1
    ends[depth] = start + name.count
  }

  @inline(__always)
  func pop() {
    if depth > 0 { depth -= 1 }
  }

  @inline(__always)
  private func name(at depth: Int) -> UnsafeRawBufferPointer {
    if depth == 0 { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(names).slice(ends[depth - 1], ends[depth])
  }
}
