"""nginx, Caddy and Apache in front of a server, with the files of the page “Behind nginx, Caddy or Apache”."""

import os
import socket
import subprocess
import time
from pathlib import Path

from home import ROOT

FILES = ROOT / "Scripts/proxies"
# Chromium resolves each name in .localhost to this machine.
NAMES = {"offers.example.com": "offers.localhost", "home.example.com": "home.localhost"}

NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/temp; fastcgi_temp_path {folder}/fastcgi;
    scgi_temp_path {folder}/scgi; uwsgi_temp_path {folder}/uwsgi;
    {text}
}}
"""
NGINX_SITE = """
server {{
    listen 443 ssl http2;
    server_name home.example.com;
    ssl_certificate {folder}/cert.pem;
    ssl_certificate_key {folder}/key.pem;
    {text}
}}
"""
CADDY = """
{{
    admin off
    storage file_system {folder}/storage
    auto_https off
}}
{text}
"""
APACHE = """
ServerRoot {folder}
ServerName localhost
PidFile {folder}/apache.pid
ErrorLog {folder}/log
Mutex file:{folder}
User www-data
Group www-data
{modules}
Listen 127.0.0.1:443
{text}
"""
APACHE_SITE = """
<VirtualHost *:443>
    ServerName home.example.com
    SSLEngine on
    SSLCertificateFile {folder}/cert.pem
    SSLCertificateKeyFile {folder}/key.pem
    {text}
</VirtualHost>
"""
APACHE_MODULES = ("mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "alias", "headers",
                  "proxy", "proxy_http", "ssl")


def make_certificate(folder):
    """Makes an authority and a certificate for the names of the files, and has browsers of this home folder trust it."""
    names = ",".join(f"DNS:{name}" for name in NAMES.values())
    script = f"""
      umask 077
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3 -subj /CN=test -keyout ca-key.pem -out ca.pem
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=offers -keyout key.pem -out request.pem
      printf '%s\\n' subjectAltName={names} extendedKeyUsage=serverAuth basicConstraints=CA:FALSE > extensions
      openssl x509 -req -in request.pem -days 3 -extfile extensions -CA ca.pem -CAkey ca-key.pem -CAcreateserial -out cert.pem
      mkdir -p .pki/nssdb
      certutil -d sql:.pki/nssdb -N --empty-password
      certutil -d sql:.pki/nssdb -A -t C,, -n offers -i ca.pem
    """
    subprocess.run(["bash", "-ec", script], cwd=folder, check=True, capture_output=True)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class FrontProxy:
    """A proxy with one of its files. Only names, ports and places in the file are replaced, each of which must be there.

    `kind` is nginx, caddy or apache; `file` the part of the name behind it, such as “path” or “login”, or empty."""

    def __init__(self, kind, file, folder, upstream, port=None):
        self.folder = Path(folder)
        self.port = port or free_port()
        text, program = getattr(self, kind)(file)
        for name, own in NAMES.items():
            text = text.replace(name, own)
        path = self.folder / "proxy.conf"
        path.write_text(self.replaced(text, "127.0.0.1:8080", f"127.0.0.1:{upstream}"), "utf-8")
        self.process = subprocess.Popen(
            [*program, str(path)], stdout=subprocess.DEVNULL, stderr=(self.folder / "errors").open("w"),
            env=dict(os.environ, HOME=str(folder)))
        self.wait()

    def wait(self):
        """Waits until the proxy accepts connections."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                return socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.05)
        said = [(self.folder / name).read_text("utf-8") for name in ("errors", "log") if (self.folder / name).exists()]
        raise AssertionError("The proxy does not start: " + " ".join(said))

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=20)

    @staticmethod
    def read(name):
        return (FILES / name).read_text("utf-8")

    @staticmethod
    def replaced(text, old, new):
        assert old in text, f"{old} is not in the file of the proxy"
        return text.replace(old, new)

    def certified(self, text, start):
        """The text with the certificate of the test, if the file names one."""
        if start not in text:
            return text
        text = self.replaced(text, f"{start}/fullchain.pem", str(self.folder / "cert.pem"))
        return self.replaced(text, f"{start}/privkey.pem", str(self.folder / "key.pem"))

    def nginx(self, file):
        text = self.read("nginx-path.conf" if file == "path" else "nginx.conf")
        if file == "path":
            text = NGINX_SITE.format(folder=self.folder, text=text)
        if file == "login":
            login = self.replaced(
                self.read("nginx-login.conf"), "/etc/nginx/offers.htpasswd", str(self.folder / "people"))
            text = self.replaced(text, "location / {", "location / {\n" + login)
        text = self.replaced(text, "listen 443", f"listen 127.0.0.1:{self.port}")
        text = self.certified(text, "/etc/letsencrypt/live/offers.example.com")
        return NGINX.format(folder=self.folder, text=text), ["nginx", "-c"]

    def caddy(self, file):
        text = self.read(f"Caddyfile-{file}" if file else "Caddyfile")
        host = "home.example.com" if file == "path" else "offers.example.com"
        # Caddy gets a certificate for a public name by itself.
        own = f"tls {self.folder}/cert.pem {self.folder}/key.pem"
        text = self.replaced(text, host + " {", f"https://{host}:{self.port} {{\n\tbind 127.0.0.1\n\t{own}")
        if file == "login":
            text = self.replaced(text, "/etc/caddy/offers.users", str(self.folder / "people"))
        return CADDY.format(folder=self.folder, text=text), ["caddy", "run", "--adapter", "caddyfile", "--config"]

    def apache(self, file):
        modules = "\n".join(
            f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in APACHE_MODULES)
        text = self.read("apache-path.conf" if file == "path" else "apache.conf")
        if file == "path":
            text = APACHE_SITE.format(folder=self.folder, text=text)
        if file == "login":
            login = self.replaced(
                self.read("apache-login.conf"), "/etc/apache2/offers.htpasswd", str(self.folder / "people"))
            text = self.replaced(text, "</VirtualHost>", login + "</VirtualHost>")
        text = self.certified(text, "/etc/letsencrypt/live/offers.example.com")
        whole = APACHE.format(folder=self.folder, modules=modules, text=text)
        return self.replaced(whole, ":443", f":{self.port}"), ["apache2", "-DFOREGROUND", "-f"]

    @staticmethod
    def write_people(kind, folder, name, passphrase):
        """Writes the file of the people who log in at the proxy."""
        if kind == "caddy":
            command = ["caddy", "hash-password", "--plaintext", passphrase]
        else:
            command = ["openssl", "passwd", "-apr1", passphrase]
        hashed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        path = Path(folder) / "people"
        path.write_text(f"{name}{' ' if kind == 'caddy' else ':'}{hashed}\n", "utf-8")
