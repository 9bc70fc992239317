"""Who we are and where our things are: the one reader of the environment, read once at start."""

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.errors import OperatorError
from bot.logs import LogFormat
from gatekit.formats.validation import plain_words

PREFIX = "GATEKIT_"

_WHAT: Mapping[str, str] = MappingProxyType(
    {
        "PRIVATE_KEY": "the PEM text of the private key that GitHub gave for the App",
        "WEBHOOK_SECRET": "the webhook secret, as it was typed into the App's settings",
    }
)

_OF_THE_TESTS = frozenset({"GATEKIT_SHARED"})  # speaks to our own tools, not to the bot


class SettingsError(OperatorError):
    """A setting is missing or wrong. `str(error)` is one sentence that says what to change; it holds no secret."""


def _web_address(text: str) -> str:
    if not text.startswith(("http://", "https://")) or any(letter.isspace() for letter in text):
        raise ValueError("must be an address that starts with http:// or https://")
    return text.rstrip("/")


_Address = Annotated[str, AfterValidator(_web_address)]
_Port = Annotated[int, Field(ge=0, le=65535)]  # 0: any free one
_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Settings(BaseSettings):
    """The environment and `.env`, under the prefix GATEKIT_; the environment wins."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        dotenv_filtering="match_prefix",
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    app_id: Annotated[int, Field(gt=0)] | None = None
    private_key: SecretStr | None = None
    private_key_file: Path | None = None
    webhook_secret: SecretStr | None = None
    webhook_secret_file: Path | None = None
    github_api_url: _Address = "https://api.github.com"
    database: Path = Path("gatekit.db")
    clusters_file: Path = Path("clusters.toml")
    host: str = "127.0.0.1"
    port: _Port = 8080
    operator_host: str = "127.0.0.1"
    operator_port: _Port = 8081
    public_url: _Address | None = None
    allow_local: bool = False
    dry_run: bool = False
    log_format: LogFormat | None = None
    poll_seconds: _Seconds = 15
    reconcile_seconds: _Seconds = 300


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """What proves that we are the App, and that a webhook is GitHub's."""

    app_id: int
    private_key: SecretStr  # PEM
    webhook_secret: SecretStr

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be printed."""
        return (self.private_key.get_secret_value(), self.webhook_secret.get_secret_value())


def read_settings() -> Settings:
    """Raises SettingsError."""
    unknown = [name for name in sorted(os.environ) if _unknown(name)]
    if unknown:
        raise SettingsError(_no_setting(unknown[0]))
    try:
        settings = Settings()
    except ValidationError as error:
        raise SettingsError(_sentence(error)) from None  # the cause would print what was typed
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f".env cannot be read: {error}.") from error
    if settings.dry_run:
        raise SettingsError("GATEKIT_DRY_RUN is not there yet: unset it.")
    if "reconcile_seconds" in settings.model_fields_set:
        raise SettingsError("GATEKIT_RECONCILE_SECONDS is not there yet: unset it.")
    return settings


def app_identity(settings: Settings) -> AppCredentials:
    """What `serve` cannot do without. Raises SettingsError for the first thing that is missing or unusable."""
    app_id, key = app_key(settings)
    webhook_secret = _secret("WEBHOOK_SECRET", settings.webhook_secret, settings.webhook_secret_file)
    return AppCredentials(app_id, key, SecretStr(webhook_secret))


def app_key(settings: Settings) -> tuple[int, SecretStr]:
    """The App's id and its key (PEM): all that asking GitHub takes. Raises SettingsError."""
    if settings.app_id is None:
        raise SettingsError("GATEKIT_APP_ID is missing: set it to the App's id, the number on its settings page.")
    key = _secret("PRIVATE_KEY", settings.private_key, settings.private_key_file).replace("\\n", "\n")
    if not key.startswith("-----BEGIN") or "PRIVATE KEY-----" not in key:
        raise SettingsError("GATEKIT_PRIVATE_KEY is no PEM private key: use the file that GitHub gave for the App.")
    return settings.app_id, SecretStr(key)


def _secret(name: str, value: SecretStr | None, file: Path | None) -> str:
    """The setting or the text of its file, without the white space around it."""
    if value is not None and file is not None:
        raise SettingsError(f"Both {PREFIX}{name} and {PREFIX}{name}_FILE are set: keep one of them.")
    if value is None and file is None:
        raise SettingsError(f"{PREFIX}{name} is missing: set it, or {PREFIX}{name}_FILE to a file that holds it.")
    try:
        found = (value.get_secret_value() if value is not None else Path(str(file)).read_text(encoding="utf-8")).strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        mend = f"give the bot's user the right to read it, or name the file that holds {_WHAT[name]}"
        raise SettingsError(f"{PREFIX}{name}_FILE cannot be read ({file}: {why}): {mend}.") from None
    if not found:
        if file is not None:
            raise SettingsError(f"{PREFIX}{name}_FILE is empty ({file}): put {_WHAT[name]} into it.")
        raise SettingsError(f"{PREFIX}{name} is empty: set it to {_WHAT[name]}.")
    return found


def _unknown(name: str) -> bool:
    upper = name.upper()
    return upper.startswith(PREFIX) and upper not in _OF_THE_TESTS and upper not in _names()


def _names() -> frozenset[str]:
    return frozenset(PREFIX + field.upper() for field in Settings.model_fields)


def _no_setting(name: str) -> str:
    fields = [field.upper() for field in Settings.model_fields]
    near = difflib.get_close_matches(name.upper().removeprefix(PREFIX), fields, 1)
    return f"{name} is no setting of Gatekit: " + (f"did you mean {PREFIX}{near[0]}?" if near else "unset it.")


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    name = PREFIX + str(first["loc"][0]).upper()
    if first["type"] == "extra_forbidden":
        return _no_setting(name)
    return f"{name} cannot be used: it {plain_words(first)}."
