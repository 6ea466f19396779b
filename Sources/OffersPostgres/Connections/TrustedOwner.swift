import OffersCore

/// Decides whose schemas and tables the program uses: those of its own role, of the owner of the database, and
/// of superusers, and of members of its own role, which can act as it. That its own role is a member of another
/// one says nothing, because any role could grant itself. PostgreSQL alone would look first into a schema with the name of the role, which every role
/// that may create schemas can make, and would give logins and tokens to it.
/// https://www.postgresql.org/docs/current/ddl-schemas.html#DDL-SCHEMAS-PATTERNS
///
/// The statements run with the path of the database, so functions are named with their schema. The operators
/// compare equal types, for which those of `pg_catalog` come first.
enum TrustedOwner {
  /// Reads the number of the server's process, and the quoted name of the first schema of the path that may be
  /// trusted; null if there is none.
  static let session = """
    SELECT pg_catalog.pg_backend_pid(), (
      SELECT pg_catalog.quote_ident(space.nspname::pg_catalog.text)
      FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS path (name, place)
      JOIN pg_catalog.pg_namespace AS space ON space.nspname = path.name
      WHERE \(isTrusted("space.nspowner")) ORDER BY path.place LIMIT 1)
    """

  /// A condition on the number of a role.
  private static func isTrusted(_ owner: String) -> String {
    """
    \(owner) IN (
      SELECT role.oid FROM pg_catalog.pg_roles AS role
      JOIN pg_catalog.pg_roles AS own ON own.rolname = CURRENT_USER
      JOIN pg_catalog.pg_database AS database ON database.datname = pg_catalog.current_database()
      WHERE role.rolsuper OR role.rolname = 'pg_database_owner' OR role.oid = database.datdba
      OR pg_catalog.pg_has_role(role.oid, own.oid, 'MEMBER'))
    """
  }

  /// Refuses a database in which one of some tables belongs to a role that is not trusted: it could read and
  /// change what the program writes.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  static func check(_ tables: [String], in connection: Connection, _ url: DatabaseURL) throws {
    let row = try connection.rows(
      """
      SELECT class.relname::text, pg_catalog.pg_get_userbyid(class.relowner)::text
      FROM pg_catalog.pg_class AS class
      JOIN pg_catalog.pg_namespace AS space ON space.oid = class.relnamespace
      WHERE space.nspname = pg_catalog.current_schema() AND class.relname::text = ANY ($1) AND NOT \(isTrusted("class.relowner"))
      ORDER BY class.relname LIMIT 1
      """, [.texts(tables)]
    ).first
    guard let row else { return }
    throw OffersError(
      .storageFailed,
      "The table \(row.text(0)) in \(url.description) belongs to the role \(row.text(1)), which could read "
        + "and change all that is written to it.",
      hint: "Find out who made it. Give it to the owner of the database, or remove it.")
  }
}
