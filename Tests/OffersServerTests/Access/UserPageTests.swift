import Foundation
import HTTPTypes
import OffersCore
import Testing

@testable import OffersServer

@Suite("The pages of users")
struct UserPageTests {
  @Test("only the owner gets a code for the owner; an admin gets one for all others")
  func owner() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let owner = try await home.database.fetchOwner()
    let ben = try await home.addUser("Ben", .admin)
    let hers = try await home.cookie(ofNew: "Ada", .admin, at: clock.now)
    let owners = try await home.cookie(of: owner, at: clock.now)
    let client = try home.client(home.server(clock: clock))
    let refused = try await client.by(hers).form("/pairing", "user=\(owner.name)")
    #expect(refused.status == 403)
    #expect(!refused.text.contains("pair-code"))
    #expect(refused.text.contains("Only the owner may do this for the owner."))
    let rename = try await client.by(hers).form("/users/\(owner.id)", "name=Eve")
    #expect(rename.status == 403)
    #expect(try await home.database.fetchOwner().name == owner.name)
    let users = try await client.by(hers).page("/users").text
    #expect(!users.contains("Invite \(owner.name)"))
    #expect(users.contains("Invite Ben"))
    let invited = try await client.by(hers).form("/pairing", "user=Ben")
    #expect(invited.text.contains("is then logged in as <b><bdi>Ben</bdi></b>"))
    for body in ["", "user=\(owner.name)"] {
      let own = try await client.by(owners).form("/pairing", body)
      #expect(own.text.contains("pair-code"))
    }
    #expect(try await home.database.fetchUser(named: "Ben").id == ben.id)
  }

  @Test("a person who was invited is welcomed by name, and sets a passphrase there or later")
  func welcomes() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    _ = try await home.database.addUser(named: "Grandma", role: .viewer)
    let hers = try await home.cookie(ofNew: "Ada", .admin, at: clock.now)
    let client = try home.client(home.server(clock: clock))
    let invitation = try await client.by(hers).form("/pairing", "user=Grandma").text
    let code = try #require(invitation.between(#"<p class="pair-code">"#, "</p>"))
    let paired = try await client.form("/pair", "code=\(code)&next=/favorites")
    #expect(paired.headers[.location] == "/welcome?next=%2Ffavorites")
    let cookie = try #require(paired.cookie)
    let welcome = try await client.by(cookie).page("/welcome?next=%2Ffavorites").text
    #expect(welcome.contains("Welcome, <bdi>Grandma</bdi>"))
    #expect(welcome.contains(#"href="/favorites">Later"#))
    let mistake = try await client.by(cookie).form(
      "/passphrase", "next=/favorites&new=seven+green+trams&again=seven")
    #expect(mistake.status == 400)
    #expect(mistake.text.contains("The two new passphrases differ."))
    #expect(mistake.text.contains("Welcome, <bdi>Grandma</bdi>"))
    #expect(!mistake.text.contains("seven"))
    let set = try await client.by(cookie).form(
      "/passphrase", "next=/favorites&new=seven+green+trams&again=seven+green+trams")
    let location = try #require(set.headers[.location])
    #expect(location == "/welcome?next=%2Ffavorites&done=1")
    let after = try await client.by(cookie).page(location).text
    #expect(after.contains("Your passphrase is set."))
    #expect(after.contains(#"href="/favorites">Go on"#))
    // Another site cannot be the next page.
    let foreign = try await client.by(cookie).page("/welcome?next=https://evil.example").text
    #expect(!foreign.contains("evil.example"))
    // Without a login there is nobody to welcome.
    let alone = try await ServedHome(feeds: [])
    #expect(try await alone.show("/welcome?next=/favorites").status == 303)
  }

  @Test("a mistake in a form is told at its field; a name stays, a passphrase does not")
  func mistakes() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let ada = try await home.addUser("Ada", .admin)
    let ben = try await home.addUser("Ben", .member)
    let hers = try await home.cookie(of: ada, at: clock.now)
    let client = try home.client(home.server(clock: clock))
    let added = try await client.by(hers).form("/users", "name=BEN&role=viewer")
    #expect(added.status == 400)
    #expect(added.text.contains(#"value="BEN""#))
    #expect(added.text.contains(#"id="name-error" role="alert""#))
    #expect(added.text.contains(#"<option value="viewer" selected>"#))
    let changed = try await client.by(hers).form("/users/\(ben.id)", "name=ada&role=viewer")
    #expect(changed.status == 400)
    #expect(changed.text.contains(#"value="ada""#))
    #expect(changed.text.contains("<details class=\"feed-change\" open>"))
    let wrong = try await client.by(hers).form(
      "/passphrase", "present=x+y+z&new=seven+green+trams&again=seven+green+trams")
    #expect(wrong.status == 403)
    #expect(wrong.text.contains("The current passphrase is not correct."))
    #expect(!wrong.text.contains("trams"))
    #expect(wrong.text.contains(#"action="/passphrase""#))
    let present = ServedHome.passphrase.replacing(" ", with: "+")
    let right = try await client.by(hers).form(
      "/passphrase", "present=\(present)&new=seven+green+trams&again=seven+green+trams")
    #expect(right.headers[.location] == "/settings/people?done=passphrase#account")
    let settings = try await client.by(hers).page("/settings/people?done=passphrase").text
    #expect(settings.contains("Your passphrase is changed. Your other browsers are logged out."))
    #expect(
      try await client.by(hers).page("/settings/devices").text.contains("in use now"))
    let lost = try await client.by(hers).form("/sessions/00/end")
    #expect(lost.status == 404)
    #expect(lost.text.contains("Back to settings"))
  }

  @Test("an admin logs a user out everywhere, but not the owner; a member nobody")
  func logsOut() async throws {
    let home = try await ServedHome(feeds: [])
    let clock = SteppedClock()
    let owner = try await home.database.fetchOwner()
    let ada = try await home.addUser("Ada", .admin)
    let ben = try await home.addUser("Ben", .member)
    let hers = try await home.cookie(of: ada, at: clock.now)
    let his = try await home.cookie(of: ben, at: clock.now)
    let owners = try await home.cookie(of: owner, at: clock.now)
    let client = try home.client(home.server(clock: clock))
    #expect(try await client.by(his).form("/users/\(ada.id)/log-out").status == 403)
    #expect(try await client.by(hers).form("/users/\(owner.id)/log-out").status == 403)
    #expect(try await client.by(owners).get("offers").status == 200)
    let ended = try await client.by(hers).form("/users/\(ben.id)/log-out")
    let location = try #require(ended.headers[.location])
    #expect(location == "/users?out=\(ben.id)#user-\(ben.id)")
    let users = try await client.by(hers).page("/users?out=\(ben.id)").text
    #expect(users.contains("Ben is logged out in all browsers."))
    #expect(try await client.by(his).get("offers").status == 401)
    #expect(try await client.by(hers).get("offers").status == 200)
    // His browser is told why it has to log in.
    let login = try await client.by(his).page("/login").text
    #expect(login.contains("You were logged out. Log in again."))
    let other = try await client.get("/login")
    #expect(!other.text.contains("You were logged out."))
    let form = try await client.with(.accept, "text/html").form("/users")
    #expect(form.status == 401)
    #expect(form.text.contains(#"href="/login">Log in"#))
  }

  @Test("a viewer sees neither the page of users nor what only members and admins can use")
  func viewer() async throws {
    let home = try await ServedHome()
    let clock = SteppedClock()
    let hers = try await home.cookie(ofNew: "Vera", .viewer, at: clock.now)
    let client = try home.client(home.server(clock: clock))
    let users = try await client.by(hers).page("/users")
    #expect(users.status == 403)
    #expect(users.text.contains("<h1>You may not see this page</h1>"))
    var settings = ""
    for section in ["", "/feeds", "/people", "/devices", "/browser", "/about"] {
      settings += try await client.by(hers).page("/settings\(section)").text
    }
    #expect(!settings.contains("More feeds"))
    #expect(!settings.contains("{env:"))
    #expect(!settings.contains("offers backup"))
    #expect(settings.contains("Stored offers"))
  }

  @Test("the page for a code offers the other way to log in that there is")
  func otherWay() async throws {
    let home = try await ServedHome(feeds: [])
    try await home.addUser("Ada", .admin)
    let page = try await home.show("/pair?next=/favorites").text
    #expect(page.contains(#"href="/login?next=%2Ffavorites">Log in with a name and a passphrase"#))
    let token = try await ServedHome(feeds: [])
    let other = try await token.show("/pair", on: token.server(token: ServedHome.token)).text
    #expect(other.contains("Log in with the token"))
  }

  @Test(
    "the initials of a name are of letters and digits",
    arguments: [
      ("Oma & Opa", "OO"), ("ada", "A"), ("7up (Ben) X", "7B"), ("–", ""), ("Zoë", "Z"),
    ])
  func initials(name: String, letters: String) {
    #expect(UsersPage.initials(name) == letters)
  }
}
