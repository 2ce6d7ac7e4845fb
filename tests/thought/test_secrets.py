"""Secrets: what must be refused, what must pass, and that the values never come out.

All values are made up, and put together from pieces so that no scanner trips over this file.
"""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import secrets
from memcli.secrets import scan

HEX = "0123456789abcdef"
MIXED = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE5fG7hI9jK2lM4nO6pQ8rS0tU1vW3xY5z"


def hexes(n: int) -> str:
    return "".join(HEX[(7 * i * i + 3 * i + n) % 16] for i in range(n))


def mixed(n: int) -> str:
    return (MIXED * 4)[:n]


LIVE = {
    "aws id": ("AWS access key id", "AKIA" + "Q3EGSIOWHLKX2YNB"),
    "aws id of the docs": ("AWS access key id", "AKIA" + "IOSFODNN7EXAMPLE"),
    "aws secret": ("AWS secret access key", "aws_secret_access_key = " + mixed(38) + "/+"),
    "google": ("Google API key", "AIza" + mixed(35)),
    "google oauth": ("Google OAuth client secret", "GOCSPX-" + mixed(28)),
    "azure": ("Azure storage or service bus key", "AccountName=x;AccountKey=" + mixed(86) + "=="),
    "azure client": ("Azure client secret", "abc" + "8Q~" + mixed(34)),
    "digitalocean": ("DigitalOcean token", "dop_" + "v1_" + hexes(64)),
    "heroku": ("Heroku API key", "HEROKU_API_KEY=" + "01234567-89ab-cdef-" + "0123-456789abcdef"),
    "github": ("GitHub token", "ghp_" + mixed(36)),
    "github, lazily made up": ("GitHub token", "ghp_" + "a" * 36),
    "github app": ("GitHub token", "ghs_" + mixed(36)),
    "github fine-grained": ("GitHub fine-grained token", "github_" + "pat_" + mixed(22) + "_" + mixed(59)),
    "gitlab": ("GitLab token", "glpat" + "-" + mixed(20)),
    "npm": ("npm token", "//registry.npmjs.org/:_authToken=" + "npm_" + mixed(36)),
    "pypi": ("PyPI token", "pypi-" + "AgEIcHlwaS5vcmc" + mixed(70)),
    "docker": ("Docker Hub token", "dckr_" + "pat_" + mixed(27)),
    "slack": ("Slack token", "xoxb" + "-123456789012-123456789012-" + mixed(24)),
    "slack webhook": ("Slack webhook", "https://hooks.slack" + ".com/services/T0AB/B0CD/" + mixed(24)),
    "sendgrid": ("SendGrid key", "SG" + "." + mixed(22) + "." + mixed(43)),
    "twilio": ("Twilio key", "S" + "K" + hexes(32)),
    "twilio auth": ("Twilio auth token", "TWILIO_AUTH_TOKEN=" + hexes(32)),
    "telegram": ("Telegram bot token", "123456789" + ":AA" + mixed(33)),
    "stripe": ("Stripe key", "sk_" + "live_" + mixed(24)),
    "stripe test": ("Stripe key", "rk_" + "test_" + mixed(24)),
    "stripe webhook": ("Stripe webhook secret", "whsec" + "_" + mixed(32)),
    "anthropic": ("Anthropic key", "sk-" + "ant-api03-" + mixed(93)),
    "openai": ("OpenAI or compatible key", "sk-" + mixed(48)),
    "openai project": ("OpenAI or compatible key", "sk-" + "proj-" + mixed(64)),
    "hugging face": ("Hugging Face token", "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"),
    "vault": ("Vault token", "hvs" + "." + mixed(28)),
    "jwt": ("JSON web token", "eyJ" + mixed(20) + ".eyJ" + mixed(40) + "." + mixed(43)),
    "pem": ("private key", "-----BEGIN RSA " + "PRIVATE KEY-----\n" + mixed(64) + "\n-----END RSA PRIVATE KEY-----"),
    "pkcs8": ("private key", "-----BEGIN " + "PRIVATE KEY-----"),
    "openssh": ("private key", "-----BEGIN OPENSSH " + "PRIVATE KEY-----"),
    "pgp": ("private key", "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----"),
    "database url": ("password in a URL", "postgres://app:" + "hunter2@db.internal:5432/app"),
    "https url": ("password in a URL", "https://bob:" + "s3cr3t@example.org/x.git"),
    "redis url": ("password in a URL", "redis://:" + "p4ssw0rd!@cache:6379"),
    "url of a word": ("password in a URL", "amqp://svc:" + "correcthorse@mq"),
    "export": ("password", "export DB_" + "PASSWORD=hunter2"),
    "export of a word": ("password", "export DB_" + "PASSWORD=letmein"),
    "export in quotes": ("password", "export DB_" + "PASSWORD='correct horse battery'"),
    "environment file": ("password", "MYSQL_ROOT_" + "PASSWORD=Tr0ub4dor&3"),
    "pass": ("password", "SMTP_" + "PASS=q9w8e7r6"),
    "assigned": ("password", "password=" + "hunter2"),
    "assigned in code": ("password", 'db.connect(password="' + 'S3cret-pa55")'),
    "json": ("password", '{"user": "app", "password": "' + 'x9!kLm22"}'),
    "yaml": ("password", "password: " + "hunter2"),
    "with a sign": ("password", "password=" + "cor!rect"),
    "odbc": ("password", "Server=db;Uid=app;" + "Pwd=9f8e7d6c;"),
    "query string": ("secret or token", "https://example.org/hook?token=" + mixed(16)),
    "api key": ("secret or token", "API_KEY=" + "abc123def456"),
    "api key with a long number": ("secret or token", "api_key: '" + "abcdef1234567890'"),
    "hex api key": ("secret or token", "api-key: " + hexes(32)),
    "client secret": ("secret or token", 'client_secret = "' + mixed(32) + '"'),
    "django": ("secret or token", "SECRET_KEY = 'dj-" + "k#3@v9x$2mq8!z7" + "'"),
    "token in yaml": ("secret or token", "token: " + mixed(24)),
    "toml": ("secret or token", "access_token=" + '"' + mixed(20) + '"'),
    "header": ("authorization header", "Authorization: Bearer " + mixed(40)),
    "basic header": ("authorization header", "authorization: Basic " + "dXNlcjpodW50ZXIy"),
    "bearer": ("bearer token", "curl -H 'X-Auth: bearer " + mixed(32) + "'"),
    "curl": ("password of a curl command", "curl -s -u bob:" + "hunter2 https://example.org"),
    "netrc": ("password of a .netrc line", "machine h login bob password " + "hunter2"),
    "generic": ("high-entropy value", 'ENCRYPTION_SALT="' + mixed(32) + '"'),
}

PASS = [
    # ordinary words and prose
    "a risk-based approach with a task-list and a disk-backed sk-learn pipeline",
    "sk-learn-pipeline-with-standard-scaler-and-encoder",
    "ask-the-user-before-deleting-anything-from-disk",
    "the password is checked in src/auth.py before the token is issued",
    "password: minimum twelve characters, at least one digit",
    "passwords are hashed with argon2id; password: argon2id, 12 rounds",
    "Password: required, 8-64 characters",
    "secret: kept in the vault, never in the repository",
    "the token: a JWT signed with RS256, valid 15 minutes",
    "key: value pairs go through createUserAccountByEmail2",
    "bearer authentication-middleware-configuration is set in app/http.py",
    "Basic authentication is off; Authorization: Bearer <token> only",
    "The PEM header of a private key is refused",
    "pass: 112 tests, fail: 3 tests",
    "tokens: 1500, tokenizer: o200k_base, token=o200k_base",
    "the pwd is /srv/app/releases/2024-11-03",
    "PWD=/home/ada/work/app-v2",
    # placeholders and references
    "password=changeme",
    "password=changeme123",
    "DB_PASSWORD=your-password-here",
    "DB_PASSWORD=********",
    "DB_PASSWORD=xxxxxxxx",
    "DB_PASSWORD=<token>",
    "DB_PASSWORD=${DB_PASSWORD}",
    "export DB_PASSWORD=$(pass show db)",
    "export API_TOKEN=$GITHUB_TOKEN",
    "password = os.environ['DB_PASSWORD']",
    "password=getpass.getpass('Password: ')",
    "token=self.session.token2",
    "token: process.env.API_TOKEN_2",
    "api_key={{ secrets.API_KEY_2 }}",
    "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-AbC123",
    "password: op://vault/db/password1",
    "secret: config/secrets/prod1.yml",
    "login(user=name, password=entered)",
    "password=user_password",
    "ghp_" + "x" * 36,
    "sk-" + "x" * 40,
    "sk_live_" + "0" * 24,
    "postgres://user:password@localhost:5432/app",
    "postgres://postgres:postgres@localhost:5432/test",
    "postgres://app:${PGPASSWORD}@db/app",
    "https://user:<password>@example.org",
    # ids, hashes, lock files, versions, paths
    "fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "commit: " + hexes(40),
    "the cache key is " + hexes(64),
    "key=" + hexes(64),
    "sha256:" + hexes(64),
    "request 123e4567-e89b-12d3-a456-426614174000 failed",
    "token: 123e4567-e89b-12d3-a456-426614174000",
    'integrity "sha512-' + mixed(86) + '=="',
    '"node_modules/js-tokens": {"version": "4.0.0", "integrity": "sha512-' + mixed(86) + '=="}',
    "github.com/org/token v1.2.3 h1:" + mixed(43) + "=",
    "jsonwebtoken@9.0.2 resolved https://registry.example.org/jsonwebtoken-9.0.2.tgz#" + hexes(40),
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5" + mixed(40) + " ada@example.org",
    "http://localhost:8080/@scope/package and git+ssh://git@github.com:org/repo.git@v1",
    "curl -s https://example.org; docker run -u 1000:1000 app; git push -u origin main:main",
    "src/secrets/token_store_v2.py:120",
    "password_min_length=12, token_url=https://example.org/oauth2/v2/token, secret_name=app-tls-2",
    "token=2024-01-01T00:00:00Z",
    "use eyJ as a mark of a JWT; AKIA marks an AWS key id; ghp_ a GitHub token",
]


@pytest.mark.parametrize(("kind", "text"), LIVE.values(), ids=LIVE.keys())
def test_a_live_secret_is_found_once_by_its_kind(kind: str, text: str) -> None:
    """Each kind of live secret is found, alone and inside prose, under the name of the most specific rule."""
    for around in (text, f"note: use {text} for it", f"first line\n{text}\nlast line"):
        assert [secret.kind for secret in scan(around)] == [kind]


@pytest.mark.parametrize("text", PASS)
def test_look_alikes_pass(text: str) -> None:
    """Commit ids, hashes, UUIDs, lock files, placeholders, references and ordinary words are no secrets."""
    assert scan(text) == ()


@pytest.mark.parametrize(("kind", "text"), LIVE.values(), ids=LIVE.keys())
def test_a_secret_is_told_by_place_and_fingerprint_never_by_value(kind: str, text: str) -> None:
    """The offsets hold the value, and no field of what is found repeats it."""
    (secret,) = scan("é " + text)
    value = ("é " + text)[secret.start : secret.end]
    assert value and value in text
    assert value not in repr(secret)
    assert re.fullmatch(r"[0-9a-f]{16}", secret.fingerprint)
    assert scan("elsewhere: " + text)[0].fingerprint == secret.fingerprint


def test_two_secrets_are_found_in_their_order() -> None:
    """Several secrets come in the order of the text, each with a fingerprint of its own."""
    text = "DB_PASSWORD=" + "hunter2" + " and ghp_" + mixed(36)
    assert [secret.kind for secret in scan(text)] == ["password", "GitHub token"]
    assert len({secret.fingerprint for secret in scan(text)}) == 2


@given(st.text(alphabet="pasword=:'\"sktoenAKI@/.- \n1x", max_size=200))
def test_any_text_scans(text: str) -> None:
    """Whatever the text, the scan ends with spans inside it, in order and without overlaps."""
    found = scan(text)
    assert all(0 <= secret.start < secret.end <= len(text) for secret in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


RULES = json.loads((Path(secrets.__file__).parent / "data" / "secrets.json").read_text(encoding="utf-8"))["rules"]


@pytest.mark.parametrize("rule", RULES, ids=[rule["id"] for rule in RULES])
def test_no_rule_can_explode(rule: dict[str, str]) -> None:
    """No pattern repeats a group without a bound (the shape of catastrophic backtracking), and each one compiles."""
    assert not re.search(r"\)(?:[*+]|\{\d*,\})", rule["regex"])
    assert re.compile(rule["regex"])


@pytest.mark.parametrize(
    "piece",
    [
        "password",
        "token=",
        "curl -u a:",
        "eyJaaaaaaaa-",
        "://u:p",
        "aws_secret_",
        "login a password ",
        "key: '",
        "sk-a-",
        "SG.aaaaaaaaaaaaaaaa.",
    ],
)
def test_a_long_hostile_text_ends(piece: str) -> None:
    """64 KiB of the beginnings of secrets are scanned to the end (a quadratic pattern would take minutes here)."""
    text = piece * (65536 // len(piece))
    assert all(secret.end <= len(text) for secret in scan(text))
