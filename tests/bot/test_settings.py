import os
from pathlib import Path

import pytest

from bot.settings import Settings, SettingsError, app_identity, read_settings

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.upper().startswith("GATEKIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch):
    def set_all(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(f"GATEKIT_{name}", value)

    return set_all


def test_the_defaults_are_those_of_the_manual() -> None:
    assert read_settings().model_dump(mode="json", exclude_none=True) == {
        "github_api_url": "https://api.github.com",
        "database": "gatekit.db",
        "clusters_file": "clusters.toml",
        "host": "127.0.0.1",
        "port": 8080,
        "operator_host": "127.0.0.1",
        "operator_port": 8081,
        "allow_local": False,
        "dry_run": False,
        "poll_seconds": 15.0,
        "reconcile_seconds": 300.0,
    }


def test_the_environment_wins_over_the_file(env, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("GATEKIT_PORT=1\nGATEKIT_HOST=0.0.0.0\nOTHER_PROGRAM=x\n")
    env(PORT="2", ALLOW_LOCAL="1", GITHUB_API_URL="http://localhost:9/")
    settings = read_settings()
    assert (settings.host, settings.port, settings.allow_local) == ("0.0.0.0", 2, True)
    assert settings.github_api_url == "http://localhost:9"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"PORTT": "1"}, "GATEKIT_PORTT is no setting of Gatekit: did you mean GATEKIT_PORT?"),
        ({"XYZZY": "1"}, "GATEKIT_XYZZY is no setting of Gatekit: unset it."),
        ({"PORT": "http"}, "GATEKIT_PORT cannot be used: it must be a whole number"),
        ({"PORT": "65536"}, "GATEKIT_PORT cannot be used: it must be at most 65535"),
        ({"APP_ID": "0"}, "GATEKIT_APP_ID cannot be used: it must be greater than 0"),
        ({"PUBLIC_URL": "gatekit.example.org"}, "GATEKIT_PUBLIC_URL cannot be used: it must be an address"),
        ({"GITHUB_API_URL": "file:///etc"}, "GATEKIT_GITHUB_API_URL cannot be used: it must be an address"),
        ({"LOG_FORMAT": "xml"}, "GATEKIT_LOG_FORMAT cannot be used: it must be 'console' or 'json'"),
        ({"POLL_SECONDS": "0"}, "GATEKIT_POLL_SECONDS cannot be used: it must be greater than 0"),
        ({"POLL_SECONDS": "inf"}, "GATEKIT_POLL_SECONDS cannot be used: it must be a finite number"),
        ({"ALLOW_LOCAL": "perhaps"}, "GATEKIT_ALLOW_LOCAL cannot be used"),
        ({"DRY_RUN": "1"}, "GATEKIT_DRY_RUN is not there yet"),
        ({"RECONCILE_SECONDS": "60"}, "GATEKIT_RECONCILE_SECONDS is not there yet"),
    ],
)
def test_a_mistake_is_one_sentence(env, values: dict[str, str], says: str) -> None:
    env(**values)
    with pytest.raises(SettingsError) as caught:
        read_settings()
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


def test_a_mistake_in_the_file_is_found(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("GATEKIT_DATABSE=x\n")
    with pytest.raises(SettingsError, match="GATEKIT_DATABSE is no setting of Gatekit: did you mean GATEKIT_DATABASE"):
        read_settings()


def test_the_environment_of_the_tests_is_no_mistake(env) -> None:
    env(SHARED="/somewhere")
    assert read_settings() == Settings()


def test_who_we_are_comes_from_values_or_files(env, tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text(PEM + "\n")
    env(APP_ID="12", PRIVATE_KEY_FILE=str(tmp_path / "key.pem"), WEBHOOK_SECRET="s3cret-s3cret")
    identity = app_identity(read_settings())
    assert (identity.app_id, identity.secrets) == (12, (PEM, "s3cret-s3cret"))


def test_a_key_on_one_line_is_understood(env) -> None:
    env(APP_ID="12", PRIVATE_KEY=PEM.replace("\n", "\\n"), WEBHOOK_SECRET="s3cret-s3cret")
    assert app_identity(read_settings()).secrets[0] == PEM


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"APP_ID": ""}, "GATEKIT_APP_ID is missing"),
        ({"WEBHOOK_SECRET": ""}, "GATEKIT_WEBHOOK_SECRET is missing: set it, or GATEKIT_WEBHOOK_SECRET_FILE"),
        ({"WEBHOOK_SECRET": "  "}, "GATEKIT_WEBHOOK_SECRET is empty"),
        ({"PRIVATE_KEY": ""}, "GATEKIT_PRIVATE_KEY is missing: set it, or GATEKIT_PRIVATE_KEY_FILE"),
        ({"PRIVATE_KEY": "hunter2-hunter2"}, "GATEKIT_PRIVATE_KEY is no PEM private key"),
        ({"PRIVATE_KEY_FILE": "x"}, "Both GATEKIT_PRIVATE_KEY and GATEKIT_PRIVATE_KEY_FILE are set"),
        (
            {"WEBHOOK_SECRET": "", "WEBHOOK_SECRET_FILE": "no/such"},
            "GATEKIT_WEBHOOK_SECRET_FILE cannot be read (no/such: ",
        ),
        (
            {"WEBHOOK_SECRET": "", "WEBHOOK_SECRET_FILE": "empty"},
            "GATEKIT_WEBHOOK_SECRET_FILE is empty (empty): put the webhook secret",
        ),
        (
            {"PRIVATE_KEY": "", "PRIVATE_KEY_FILE": "empty"},
            "GATEKIT_PRIVATE_KEY_FILE is empty (empty): put the PEM text of the private key that GitHub gave",
        ),
        (
            {"PRIVATE_KEY": "", "PRIVATE_KEY_FILE": "no/such"},
            "GATEKIT_PRIVATE_KEY_FILE cannot be read (no/such: No such file or directory): give the bot's user the",
        ),
        (
            {"WEBHOOK_SECRET": "", "WEBHOOK_SECRET_FILE": "bytes"},
            "GATEKIT_WEBHOOK_SECRET_FILE cannot be read (bytes: it is",
        ),
    ],
)
def test_serve_does_not_start_without_its_identity(env, tmp_path: Path, changed: dict[str, str], says: str) -> None:
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x80")
    env(**({"APP_ID": "12", "PRIVATE_KEY": PEM, "WEBHOOK_SECRET": "s3cret-s3cret"} | changed))
    with pytest.raises(SettingsError) as caught:
        app_identity(read_settings())
    assert str(caught.value).startswith(says)
    assert "hunter2" not in str(caught.value)


def test_secrets_are_not_printed(env) -> None:
    env(APP_ID="12", PRIVATE_KEY=PEM, WEBHOOK_SECRET="s3cret-s3cret")
    settings = read_settings()
    for text in (repr(settings), str(settings), settings.model_dump_json(), repr(app_identity(settings))):
        assert "s3cret" not in text
        assert "MIIEpAIBAAKCAQEA" not in text
