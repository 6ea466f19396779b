import Foundation
import GRDB

extension String {
  /// The text as an argument that is compared with stored texts. SQLite binds a text as a C string, up
  /// to its first NUL; a text with one is bound as a blob, which equals no text.
  var lookedUp: DatabaseValue {
    utf8.contains(0) ? Data(utf8).databaseValue : databaseValue
  }
}
