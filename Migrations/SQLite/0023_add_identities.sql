-- The logins of users at OpenID providers.

CREATE TABLE identity (
  user_key INTEGER NOT NULL REFERENCES user ON DELETE CASCADE,
  -- The URL by which the provider calls itself.
  issuer TEXT NOT NULL CHECK (length(issuer) BETWEEN 1 AND 1024),
  -- The provider's name of the person, which it never gives to another. Unlike that, an e-mail
  -- address or a user name may belong to somebody else later.
  subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
  added_at INTEGER NOT NULL,
  PRIMARY KEY (user_key, issuer),
  UNIQUE (issuer, subject)
) STRICT, WITHOUT ROWID;
