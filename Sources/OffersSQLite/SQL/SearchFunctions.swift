import GRDBSQLite
import OffersCore

/// The functions of Core that the search index of a file calls.
///
/// `text_words`, `list_words` and `value_words` give the words of a text, of a JSON list, and of the values of
/// a JSON list of labelled values. The view `search_text` has them, so other programs can read and write the
/// tables of the file, but not this view and the index over it.
///
/// `offer_rank` is the rank of a result, an auxiliary function of FTS5: better ones have a lower one, equally
/// good ones one in the order of their keys. Its argument has a letter for each phrase of the query, and a comma
/// between the parts of the search: `w` for whole words, `b` for the beginning of one.
/// https://sqlite.org/fts5.html#custom_auxiliary_functions
enum SearchFunctions {
  /// The results of the calls are ignored: registration fails only without memory, and then each statement
  /// that uses a function fails with an error.
  static func install(on connection: OpaquePointer?) {
    add("text_words", to: connection) { context, _, arguments in
      SearchFunctions.result(of: arguments, context) { SearchDocument.append($0, to: &$1) }
    }
    add("list_words", to: connection) { context, _, arguments in
      SearchFunctions.result(of: arguments, context) {
        SearchDocument.append($0, where: { _ in true }, to: &$1)
      }
    }
    add("value_words", to: connection) { context, _, arguments in
      // Each value stands behind its label.
      SearchFunctions.result(of: arguments, context) {
        SearchDocument.append($0, where: { $0 % 2 == 1 }, to: &$1)
      }
    }
    installRank(on: connection)
  }

  private typealias Function =
    @convention(c) (
      OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Void

  /// Adds a function of one argument, which a schema that is not trusted may use.
  private static func add(_ name: String, to connection: OpaquePointer?, _ function: Function) {
    sqlite3_create_function_v2(
      connection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, function,
      nil,
      nil, nil)
  }

  /// Sets the result of a function to the words of its argument; NULL for NULL.
  private static func result(
    of arguments: UnsafeMutablePointer<OpaquePointer?>?, _ context: OpaquePointer?,
    _ append: (UnsafeRawBufferPointer, inout [UInt8]) -> Void
  ) {
    guard let value = arguments?[0], let text = sqlite3_value_text(value) else {
      return sqlite3_result_null(context)
    }
    let count = Int(sqlite3_value_bytes(value))
    var words: [UInt8] = []
    words.reserveCapacity(count + 8)
    append(UnsafeRawBufferPointer(start: text, count: count), &words)
    words.withUnsafeBytes {
      sqlite3_result_text64(
        context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64($0.count),
        PreparedStatement.transient, UInt8(SQLITE_UTF8))
    }
  }
}

extension SearchFunctions {
  /// The weights of the columns of the index.
  private static let weights = SearchMatch.Field.allCases.map(SearchRank.weight)

  private static func installRank(on connection: OpaquePointer?) {
    guard let api = api(of: connection) else { return }
    _ = api.pointee.xCreateFunction?(
      api, "offer_rank", nil,
      { api, row, context, count, arguments in
        guard let api, let row else { return sqlite3_result_null(context) }
        guard count > 0, let phrases = sqlite3_value_text(arguments?[0]) else {
          return sqlite3_result_null(context)
        }
        let kinds = UnsafeBufferPointer(
          start: phrases, count: Int(sqlite3_value_bytes(arguments?[0])))
        sqlite3_result_int64(context, SearchFunctions.rank(of: row, api.pointee, kinds))
      }, nil)
  }

  /// The interface of FTS5. https://sqlite.org/fts5.html#extending_fts5
  private static func api(of connection: OpaquePointer?) -> UnsafeMutablePointer<fts5_api>? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nil) == SQLITE_OK else {
      return nil
    }
    var api: UnsafeMutablePointer<fts5_api>?
    return withUnsafeMutablePointer(to: &api) { api in
      sqlite3_bind_pointer(statement, 1, api, "fts5_api_ptr", nil)
      sqlite3_step(statement)
      return api.pointee
    }
  }

  /// The number of the lowest bits of a rank that have the key.
  private static let keyBits: Int64 = 48

  private static func rank(
    of row: OpaquePointer, _ api: Fts5ExtensionApi, _ kinds: UnsafeBufferPointer<UInt8>
  ) -> Int64 {
    // The best weight of the part so far.
    var (sum, part) = (0, 0)
    var phrase: Int32 = 0
    for kind in kinds {
      if kind == UInt8(ascii: ",") {
        sum += part
        part = 0
        continue
      }
      var best = 0
      var place = Fts5PhraseIter()
      var column: Int32 = -1
      _ = api.xPhraseFirstColumn?(row, phrase, &place, &column)
      while column >= 0, column < weights.count {
        best = max(best, weights[Int(column)])
        api.xPhraseNextColumn?(row, &place, &column)
      }
      part = max(part, kind == UInt8(ascii: "w") ? best * SearchRank.wholeFactor : best)
      phrase += 1
    }
    sum += part
    let key = (api.xRowid?(row) ?? 0) & (1 << keyBits - 1)
    return key - Int64(sum) << keyBits
  }
}
