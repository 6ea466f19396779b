import EmbeddedPages

/// A file of `Assets`, `Templates`, `Worker` or `API`, embedded in the program.
enum EmbeddedPageFiles {
  /// The names of all files.
  static let names: [String] = {
    var names: [String] = []
    while let name = embedded_page_name(UInt(names.count)) { names.append(String(cString: name)) }
    return names
  }()

  /// The bytes of the file with this name, such as `layout.css`; nil when there is none.
  static func find(_ name: String) -> [UInt8]? {
    var count: UInt = 0
    guard let bytes = embedded_page_file(name, &count) else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}
