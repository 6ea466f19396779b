import GRDB
import OffersCore

/// The users of a damaged database. Of an unreadable user at most the name is left, in small letters,
/// from the index on names; without it, the user is named by their number.
struct SalvagedUsers {
  private var users: [User.ID: ExportedUser] = [:]
  /// The names in the index.
  private var names: [User.ID: String] = [:]
  /// Whether some users were unreadable.
  private(set) var isCut = false

  /// - Parameter table: the name of the table of users.
  init(_ database: Database, table: String) {
    let sql = """
      SELECT user_key, name, role, created_at FROM \(table) WHERE user_key >= ?1 ORDER BY user_key
      """
    guard let rows = try? SalvageRows(database, sql) else {
      isCut = true
      return
    }
    var found: [User.ID: ExportedUser] = [:]
    func note(_ row: RawStatement) { found[row.number(0)] = Self.user(row) }
    isCut = (try? rows.forEach(note)) != true
    users = found
    if isCut { readNames(in: database, table: table) }
  }

  private static func user(_ row: RawStatement) -> ExportedUser {
    var user = ExportedUser()
    user.name = row.text(1)
    user.role = row.findText(2).flatMap(User.Role.init) ?? .viewer
    user.createdAt = row.findNumber(3)
    user.isOwner = row.number(0) == User.ownerID
    return user
  }

  private mutating func readNames(in database: Database, table: String) {
    let index =
      "SELECT user_key, folded_name FROM \(table) INDEXED BY sqlite_autoindex_\(table)_1"
    for direction in ["ASC", "DESC"] {
      guard let rows = try? RawStatement(database, "\(index) ORDER BY folded_name \(direction)")
      else { return }
      defer { rows.reset() }
      // An unreadable page ends this direction; the other direction starts from the other end.
      while (try? rows.step()) == true { names[rows.number(0)] = rows.findText(1) }
    }
  }

  /// The keys of the users that were found in any way.
  var keys: Set<User.ID> { Set(users.keys).union(names.keys) }

  /// The possible records of a user, the best first; the names of the last ones are made up.
  func records(of key: User.ID) -> [ExportedUser] {
    var plain = ExportedUser()
    plain.isOwner = key == User.ownerID
    plain.role = plain.isOwner ? .admin : .viewer
    let madeUp = key == User.ownerID ? ["owner"] : []
    let named = ([names[key]].compactMap { $0 } + madeUp + ["user \(key)", "user \(key) (lost)"])
      .map { name in
        var user = plain
        user.name = name
        return user
      }
    return [users[key]].compactMap { $0 } + named
  }
}
