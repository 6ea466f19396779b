import OffersCore
import ZLib

/// Takes the only document out of a ZIP archive (APPNOTE.TXT of PKWARE), entry by entry as it comes, without the
/// directory at its end.
///
/// A document is an entry with the name of one, such as `feed.csv`. A text file, or a file without a type, counts if
/// there is none. Folders, hidden files and other files, such as pictures, are passed over.
final class ZIPUnpacker: Unpacker {
  private enum Stage {
    /// In the header of an entry.
    case header
    /// In the data of an entry: the number of bytes that are left, or nil for deflated data, which say where they end.
    case data(use: Use, leftBytes: Int?)
    /// In the sizes that follow the data.
    case descriptor
    /// In the directory at the end.
    case directory
  }

  /// The handling of the data of an entry.
  private enum Use {
    case pass
    /// The data may be the document if there is no other one.
    case keep
    case skip
  }

  private let limitBytes: Int
  private var output: UnpackedOutput
  private var stage = Stage.header
  private var held: [UInt8] = []
  private var readBytes = 0
  private var decoder: DeflateDecoder?
  private var hasDescriptor = false
  /// The checksum of the current entry's content so far, and that in its header; nil for an entry that is passed over.
  private var checksum: UInt?
  private var statedChecksum: UInt = 0
  /// The names of the entries that may be documents, and of the first others.
  private var documents: [String] = []
  private var spares: [String] = []
  private var others: [String] = []
  /// The content of the spare document, while it is small.
  private var spare: [UInt8] = []
  private var isOffice = false

  private static let spareBytes = 256 << 10
  private static let nameLimitBytes = 4096

  init(limitBytes: Int) {
    self.limitBytes = limitBytes
    output = UnpackedOutput(limitBytes: limitBytes)
  }

  deinit { output.deallocate() }

  func consume(_ bytes: UnsafeRawBufferPointer, _ emit: ByteSink) throws {
    var rest = bytes
    while !rest.isEmpty {
      switch stage {
      case .header, .descriptor: try take(&rest)
      case .data(let use, let leftBytes): try unpack(&rest, use, leftBytes, emit)
      case .directory: return
      }
    }
  }

  func finish(_ emit: ByteSink) throws {
    guard case .directory = stage else { throw Decompressor.cutOff }
    if isOffice { throw Decompressor.refusal(of: "an Office file") }
    let isSpare = documents.first == spares.first
    if documents.isEmpty || isSpare, spares.count > 1 { throw Self.several(spares) }
    if documents.count == 1 { return }
    if spares.isEmpty {
      let names = others.isEmpty ? "" : " It has " + others.joined(separator: ", ") + "."
      throw OffersError(
        .malformedFeed, "The ZIP archive has no document of a feed in it.\(names)",
        hint: "Nothing was changed. Feeds are JSON, XML or tables (CSV, TSV).")
    }
    try spare.withUnsafeBytes { try emit($0) }
  }

  private static func several(_ names: [String]) -> OffersError {
    OffersError(
      .malformedFeed,
      "The ZIP archive has several documents: \(names.prefix(3).joined(separator: ", ")).",
      hint: "Nothing was changed. Unpack it, and add the document with the offers.")
  }

  // MARK: Headers

  /// Collects a header or the sizes behind data, byte by byte, until it is whole.
  private func take(_ rest: inout UnsafeRawBufferPointer) throws {
    while let byte = rest.first {
      held.append(byte)
      readBytes += 1
      rest = rest.tail(from: 1)
      if case .descriptor = stage { try endDescriptor() } else { _ = try endHeader() }
      if held.isEmpty { return }
    }
  }

  /// Ends the sizes behind data, which have 12 to 24 bytes, at the next header.
  private func endDescriptor() throws {
    for size in [12, 16, 20, 24] where held.count == size + 4 && isSignature(at: size) {
      let hasSignature = held.starts(with: [0x50, 0x4B, 7, 8])
      statedChecksum = UInt(number(hasSignature ? 4 : 0, 4))
      try endEntry()
      held.removeFirst(size)
      stage = .header
      _ = try endHeader()
      return
    }
    if held.count > 28 { throw Decompressor.damaged(at: readBytes) }
  }

  private func isSignature(at place: Int) -> Bool {
    let kinds: [[UInt8]] = [[3, 4], [1, 2]]
    return held[place] == 0x50 && held[place + 1] == 0x4B
      && kinds.contains([held[place + 2], held[place + 3]])
  }

  private func number(_ place: Int, _ bytes: Int) -> Int {
    guard place + bytes <= held.count else { return 0 }
    return (0..<bytes).reduce(0) {
      $0 | Int(truncatingIfNeeded: UInt64(held[place + $1]) << UInt64(8 * $1))
    }
  }

  /// Reads the header of an entry if it is whole; returns false if it is not.
  private func endHeader() throws -> Bool {
    guard held.count >= 4 else { return false }
    guard held[0] == 0x50, held[1] == 0x4B else { throw Decompressor.damaged(at: readBytes) }
    if held[2] != 3 || held[3] != 4 {
      stage = .directory
      held = []
      return true
    }
    guard held.count >= 30 else { return false }
    let nameBytes = number(26, 2)
    guard nameBytes <= Self.nameLimitBytes else { throw Decompressor.damaged(at: readBytes) }
    guard held.count >= 30 + nameBytes + number(28, 2) else { return false }
    let name = String(decoding: held[30..<(30 + nameBytes)], as: UTF8.self)
    let (flags, method) = (number(6, 2), number(8, 2))
    let packedBytes = packedBytes(behind: 30 + nameBytes)
    statedChecksum = UInt(number(14, 4))
    held = []
    let use = try use(of: name)
    checksum = use == .skip ? nil : 0
    hasDescriptor = flags & 8 != 0
    if use != .skip, flags & 1 != 0 {
      throw Decompressor.refusal(of: "a ZIP archive with a password")
    }
    // Sizes that follow the data may also be in the header. A stored folder has no data.
    let isFolder = method == 0 && name.hasSuffix("/")
    if use == .skip || method == 0, !hasDescriptor || packedBytes > 0 || isFolder {
      if packedBytes > 0 {
        stage = .data(use: use, leftBytes: packedBytes)
      } else {
        stage = hasDescriptor ? .descriptor : .header
      }
    } else if method == 8 {
      decoder = try DeflateDecoder(windowBits: -15)
      stage = .data(use: use, leftBytes: nil)
    } else {
      throw Decompressor.refusal(
        of: method == 0
          ? "a ZIP archive that does not say where its files end"
          : "a ZIP archive in a compression that is not read (\(method))")
    }
    return true
  }

  /// The size of the data; that in the extra field of ZIP64 if the header has none.
  private func packedBytes(behind place: Int) -> Int {
    let plain = number(18, 4)
    if plain != 0xFFFF_FFFF { return plain }
    var place = place
    while place + 4 <= held.count {
      if number(place, 2) == 1, number(place + 2, 2) >= 16 { return max(0, number(place + 12, 8)) }
      place += 4 + number(place + 2, 2)
    }
    return plain
  }

  // MARK: Entries

  private static let types: Set = [
    "csv", "tsv", "tab", "json", "ndjson", "jsonl", "xml", "rss", "atom", "rdf",
  ]
  private static let packed: Set = ["gz", "bz2", "xz"]
  private static let spareTypes: Set = ["txt", "dat", "asc", "text"]
  private static let notes = [
    "readme", "license", "licence", "liesmich", "lisezmoi", "changelog", "copying", "notice",
  ]
  private static let officeFolders = [
    "xl/": "a workbook (.xlsx)", "word/": "a text document (.docx)",
    "ppt/": "a presentation (.pptx)",
  ]

  private func use(of name: String) throws -> Use {
    let file = name.split(scalar: "/").last.map { $0.lowercased() } ?? ""
    if let folder = Self.officeFolders.first(where: { name.hasPrefix($0.key) }) {
      throw Decompressor.refusal(of: folder.value)
    }
    if name == "[Content_Types].xml" || name.hasPrefix("_rels/") || name.hasPrefix("docProps/") {
      isOffice = true
    }
    if name == "mimetype" {
      throw Decompressor.refusal(
        of: "an OpenDocument file, such as a workbook (.ods), or an e-book")
    }
    if isOffice || name.hasSuffix("/") || file.hasPrefix(".") || name.hasPrefix("__MACOSX/") {
      return .skip
    }
    var parts = file.split(scalar: ".").map(String.init)
    if parts.count > 2, let last = parts.last, Self.packed.contains(last) { parts.removeLast() }
    let type = parts.count > 1 ? parts.last ?? "" : "txt"
    if Self.types.contains(type) {
      documents.append(name)
      if documents.count > 1 { throw Self.several(documents) }
      return .pass
    }
    if Self.spareTypes.contains(type), !Self.notes.contains(where: file.contains) {
      spares.append(name)
      return documents.isEmpty && spares.count == 1 ? .keep : .skip
    }
    if others.count < 3 { others.append(name) }
    return .skip
  }

  private func unpack(
    _ rest: inout UnsafeRawBufferPointer, _ use: Use, _ leftBytes: Int?, _ emit: ByteSink
  ) throws {
    var isEnded = false
    if let leftBytes {
      let taken = min(leftBytes, rest.count)
      let bytes = rest.slice(0, taken)
      if use == .skip {
        try receive(bytes, use, emit)
      } else {
        try output.pass(bytes) { try receive($0, use, emit) }
      }
      rest = rest.tail(from: taken)
      readBytes += taken
      stage = .data(use: use, leftBytes: leftBytes - taken)
      isEnded = taken == leftBytes
    } else if let decoder {
      isEnded = try output.decode(&rest, with: decoder, readBytes: &readBytes) {
        try receive($0, use, emit)
      }
    }
    if !isEnded { return }
    stage = hasDescriptor ? .descriptor : .header
    if !hasDescriptor { try endEntry() }
  }

  private func endEntry() throws {
    if let checksum, checksum != statedChecksum { throw Decompressor.damaged(at: readBytes) }
  }

  private func receive(
    _ bytes: UnsafeRawBufferPointer, _ use: Use, _ emit: ByteSink
  ) throws {
    if let known = checksum {
      checksum = crc32(
        known, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count))
    }
    switch use {
    case .pass: try emit(bytes)
    case .skip: break
    case .keep:
      // A large one is the document.
      if spare.count + bytes.count > Self.spareBytes, documents.isEmpty {
        documents.append(spares[0])
        let start = spare
        spare = []
        try start.withUnsafeBytes { try emit($0) }
      }
      if !documents.isEmpty { return try emit(bytes) }
      spare.append(contentsOf: bytes)
    }
  }
}
