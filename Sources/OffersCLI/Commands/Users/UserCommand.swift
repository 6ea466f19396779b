import ArgumentParser

/// `offers user`
struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user",
    abstract: "List, add, change and remove users.",
    discussion: """
      Offers are shared. Favorites, recent searches, read marks and news belong to a user: the \
      owner of the database, unless --user or the variable OFFERS_USER names another one. The owner \
      is always an admin, and cannot be removed.

      EXAMPLES
        offers user add ben
        offers user passphrase ben
        offers favorite 900117 --user ben
        offers user role ben viewer
        offers user remove ben
      """,
    subcommands: [
      UserListCommand.self, UserAddCommand.self, UserRenameCommand.self, UserRoleCommand.self,
      UserPassphraseCommand.self, UserLogoutCommand.self, UserRemoveCommand.self,
    ],
    defaultSubcommand: UserListCommand.self)
}
