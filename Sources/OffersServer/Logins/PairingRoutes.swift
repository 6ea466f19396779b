import Hummingbird
import OffersCore

/// The routes by which a browser that is logged in lets a phone in: a page with a new pairing code,
/// and the page on which the phone shows the code.
struct PairingRoutes: Sendable {
  let access: VisitorAuthentication
  let shell: PageShell
  let urls: ReachableURLs
  let port: ListeningPort

  func add(to router: Router<ServedContext>) {
    // The response to this form is a page and no redirect: the code is kept nowhere to be shown later.
    router.form("/pairing") { form, request, context in
      let visitor = try context.fetchHost()
      var guest: User?
      if let name = form["user"] {
        let user = try await access.store.fetchUser(named: name)
        try visitor.checkMayInvite(user)
        guest = user
        context.record.note("account", user.name)
      }
      let code = try access.makePairingCode(for: guest ?? visitor.user, by: visitor)
      let page = invitationPage(code, for: guest, server: server(of: request))
      return try await shell.response(page, address: "/settings", for: visitor)
    }
    // Opening the address uses up no code, because programs open addresses ahead, too: for the preview
    // of a message, or while a phone shows what it has scanned.
    router.get("/pair") { request, _ in
      let next = ReturnPath.withoutEffect(request.fields["next"])
      guard try await access.requiresLogin() else { return Response.seeOther(next) }
      return try await page(code: request.fields["code"] ?? "", next: next)
    }
    router.form("/pair") { form, request, context in
      let next = ReturnPath.withoutEffect(form["next"])
      let code = form["code"] ?? ""
      switch try await access.pair(code, request, from: context.client) {
      case .session(let cookies):
        context.record.note("by", "code")
        return Response.seeOther(AccountRoutes.welcome(before: next), cookies: cookies)
      case .refused(let refusal):
        // The browser that has used the code may send the form a second time.
        if refusal == .usedCode, try await access.findSession(of: request) != nil {
          return Response.seeOther(next)
        }
        return try await page(code: code, next: next, refusal: refusal)
      case .waiting(let seconds):
        return try await page(code: code, next: next, waitSeconds: seconds)
      }
    }
  }

  /// The URL of this server for a phone: the one by which the browser has sent a form, unless only
  /// this machine can use that; nil if no other device can reach the server.
  private func server(of request: Request) -> String? {
    if let origin = request.namedOrigin,
      let authority = origin.split(scalar: "/").last, !Loopback.isAuthority(String(authority))
    {
      return origin + shell.basePath.text
    }
    return urls.all(port: port.value).first
  }

  /// The page with a new code.
  private func invitationPage(_ code: PairingCode, for guest: User?, server: String?) -> Page {
    let title = guest.map { "Invite \($0.name)" } ?? "Connect a phone"
    var page = Page("pairing", title: title, menuEntry: .settings) { fields in
      fields.set("pairingTitle", title)
      fields.set("code", code.text)
      fields.set("guest", guest?.name)
      guard let server else { return }
      let invitation = PhoneInvitation(server: server, code: code)
      fields.set(
        "invitation",
        PageFields { fields in
          fields.set("pairPage", invitation.page)
          fields.set("isPlain", !server.hasPrefix("https:"))
          guard let drawing = invitation.qrCode else { return }
          fields.set("qrCode", ["width": drawing.width, "path": drawing.path])
        })
    }
    page.back = guest == nil ? SettingsSection.devices.path : "/users"
    return page
  }

  /// The page on which a phone shows a code.
  ///
  /// - Parameter waitSeconds: the time to wait, if the code was not looked at.
  private func page(
    code: String, next: String, refusal: VisitorAuthentication.Login.Refusal? = nil,
    waitSeconds: Int? = nil
  ) async throws -> Response {
    let isRefused = refusal != nil || waitSeconds != nil
    let hasPassphrases = try await !access.users.fetch().withPassphrase.isEmpty
    let known = PairingCode(code)
    let fields =
      [
        "assets": shell.assets.version, "next": next, "nextCoded": PercentCode.encode(next),
        "otherWay": hasPassphrases
          ? "a name and a passphrase" : access.settings.token != nil ? "the token" : nil,
        "code": known?.text ?? String(code.prefix(40)), "isReady": known != nil && !isRefused,
        "refusal": refusal.map(Self.words), "advice": refusal.map(Self.hint),
        "wait": waitSeconds.map { Units.count($0, "second") },
      ] as PageFields
    return .login(
      try shell.document("pair", fields), isRefused: isRefused, waitSeconds: waitSeconds)
  }

  private static func words(_ refusal: VisitorAuthentication.Login.Refusal) -> String {
    switch refusal {
    case .wrong: "This code is not correct."
    case .usedCode: "This code was used already."
    case .expiredCode: "This code has expired."
    }
  }

  private static func hint(_ refusal: VisitorAuthentication.Login.Refusal) -> String {
    switch refusal {
    case .wrong: "Compare it with the one that is shown, and type it again."
    case .usedCode, .expiredCode:
      "A code can be used once, within ten minutes. Make another where you made this one."
    }
  }
}
