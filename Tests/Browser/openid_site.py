"""An OpenID provider for the browser tests: a Django site with django-oauth-toolkit.

Run as a program it is the site, on loopback, with its data in the folder of its first argument:
    python openid_site.py FOLDER REDIRECT_URL
It prints its port once it listens. `Provider` starts it and ends it.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

CLIENT = "offers-browser-test"
SECRET = "a secret of the test: 7%"
USERS = {"benny": "three red bicycles", "greta": "four blue kites"}


class Provider:
    """The site in a process of its own, with a scratch folder.

    Its host is `localhost`: for a browser another site than 127.0.0.1, with cookies of its own.
    """

    def __init__(self, redirect_url):
        self.folder = tempfile.TemporaryDirectory(prefix="offers-openid-")
        self.process = subprocess.Popen(
            [sys.executable, __file__, self.folder.name, redirect_url],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        assert line.strip().isdigit(), f"the provider said: {line}"
        self.host = f"localhost:{line.strip()}"
        self.issuer = f"http://{self.host}/o"

    def requests(self):
        """The form fields of the requests to the token endpoint."""
        path = Path(self.folder.name) / "token-requests"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=20)
        self.process.stdout.close()
        self.folder.cleanup()


def configure(folder, port):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from django.conf import settings

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    settings.configure(
        ALLOWED_HOSTS=["localhost"],
        AUTH_PASSWORD_VALIDATORS=[],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "site.sqlite")}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
            "django.contrib.messages", "oauth2_provider",
        ],
        LOGIN_URL="/accounts/login/",
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_ISS_ENDPOINT": f"http://localhost:{port}/o",
            "OIDC_RSA_PRIVATE_KEY": key.decode(),
            "PKCE_REQUIRED": True,
            "SCOPES": {"openid": "Who you are"},
        },
        ROOT_URLCONF=__name__,
        SECRET_KEY=os.urandom(32).hex(),
        SESSION_COOKIE_NAME="openid-site-session",
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ],
                "loaders": [
                    ("django.template.loaders.locmem.Loader", {
                        "registration/login.html":
                            "<form method=post>{% csrf_token %}{{ form.as_p }}<button>Log in</button></form>",
                    }),
                    "django.template.loaders.app_directories.Loader",
                ],
            },
        }],
        USE_TZ=True,
    )


def main():
    folder, redirect_url = Path(sys.argv[1]), sys.argv[2]
    from socketserver import ThreadingMixIn
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

    # A browser opens connections ahead, which would occupy a server with one thread.
    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True

    server = Server(("127.0.0.1", 0), WSGIRequestHandler)
    configure(folder, server.server_address[1])

    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.contrib.auth.views import LoginView
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from django.urls import include, path
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0)
    for name, password in USERS.items():
        User.objects.create_user(name, f"{name}@example.com", password)
    Application.objects.create(
        name="offers", client_id=CLIENT, client_secret=SECRET, redirect_uris=redirect_url,
        client_type=Application.CLIENT_CONFIDENTIAL, algorithm=Application.RS256_ALGORITHM,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE, skip_authorization=False)
    global urlpatterns
    urlpatterns = [
        path("accounts/login/", LoginView.as_view()),
        path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
    ]
    server.set_app(noting(get_wsgi_application(), folder / "token-requests"))
    print(server.server_address[1], flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server.serve_forever()


def noting(site, path):
    """The site, with the form fields of each request to the token endpoint noted in a file."""
    import io
    import urllib.parse

    def answer(environment, start_response):
        if environment["PATH_INFO"] == "/o/token/":
            body = environment["wsgi.input"].read(int(environment["CONTENT_LENGTH"] or 0))
            environment["wsgi.input"] = io.BytesIO(body)
            with path.open("a") as file:
                file.write(json.dumps(dict(urllib.parse.parse_qsl(body.decode()))) + "\n")
        return site(environment, start_response)

    return answer


if __name__ == "__main__":
    main()
