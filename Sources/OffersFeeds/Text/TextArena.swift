/// An arena for texts with the lifetime of a record: allocations have stable addresses, and are
/// released all at once.
final class TextArena {
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var current = 0
  private var used = 0
  /// The start of the text that is being written; nil when there is none.
  private var openStart: Int?

  private static let chunkBytes = 64 << 10

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }

  /// Releases all allocations. The memory is returned to the system, except for one chunk of at
  /// most 1 MiB.
  func reset() {
    while chunks.count > 1 { chunks.removeLast().deallocate() }
    if let first = chunks.first, first.count > 16 * Self.chunkBytes {
      first.deallocate()
      chunks = []
    }
    current = 0
    used = 0
    openStart = nil
  }

  /// Allocates `count` bytes.
  func allocate(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    let start = reserve(count)
    used += count
    return start
  }

  /// Returns a copy of a text.
  func copy(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = allocate(text.count)
    if let source = text.baseAddress {
      UnsafeMutableRawPointer(start).copyMemory(from: source, byteCount: text.count)
    }
    return UnsafeRawBufferPointer(start: start, count: text.count)
  }

  /// Returns a copy of bytes.
  func copy(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    bytes.withUnsafeBytes { copy($0) }
  }

  /// The number of bytes of the text that is being written.
  var openCount: Int { openStart.map { used - $0 } ?? 0 }

  /// Starts a text that is written in several parts, unless one has been started. Until `close`,
  /// nothing else may be allocated.
  func open() {
    if openStart == nil { openStart = used }
  }

  /// Appends to the text that is being written.
  func append(_ text: UnsafeRawBufferPointer) {
    guard let source = text.baseAddress, text.count > 0 else { return }
    UnsafeMutableRawPointer(reserve(text.count)).copyMemory(from: source, byteCount: text.count)
    used += text.count
  }

  /// Returns the text that is being written, from an offset in bytes on. Before `close`, the next
  /// `append` invalidates it.
  func openText(from offset: Int) -> UnsafeRawBufferPointer {
    guard let openStart, !chunks.isEmpty else { return .init(start: nil, count: 0) }
    return UnsafeRawBufferPointer(
      rebasing: UnsafeRawBufferPointer(chunks[current])[(openStart + offset)..<used])
  }

  /// Finishes the text that is being written.
  func close() { openStart = nil }

  private func reserve(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if chunks.isEmpty || used + count > chunks[current].count { grow(count) }
    let base =
      chunks[current].baseAddress ?? UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    return (base + used).assumingMemoryBound(to: UInt8.self)
  }

  private func grow(_ count: Int) {
    let open = openStart.map { used - $0 } ?? 0
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(Self.chunkBytes, 2 * (open + count)), alignment: 16)
    if let openStart, open > 0 {
      chunk.copyMemory(
        from: UnsafeRawBufferPointer(
          rebasing: UnsafeRawBufferPointer(chunks[current])[openStart..<used]))
    }
    chunks.append(chunk)
    current = chunks.count - 1
    used = open
    if openStart != nil { openStart = 0 }
  }
}
