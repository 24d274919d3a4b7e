"""Create and revoke tokens. Only the SHA-256 of a secret is ever stored.

Start at `add`. Not here: looking a secret up (`views.token_name`).
"""

import re
import secrets

from sqlalchemy import update
from sqlmodel import Session, col, select

from guard.domain.errors import BadValue
from memory.tables import TokenRow
from memory.text import hash_of
from memory.writes.common import insert, moved

RESERVED = frozenset({"local"})
"""Names that the server gives to callers without a token."""


def add(session: Session, name: str, now_s: float) -> str:
    """Create a token and return its secret."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise BadValue(
            "name", f"{name!r} is not 1 to 64 letters, digits, dots, dashes or underscores"
        )
    if name in RESERVED:
        raise BadValue("name", f"{name!r} stands for callers without a token")
    valid = select(TokenRow).where(TokenRow.name == name, col(TokenRow.revoked_s).is_(None))
    if session.exec(valid).first() is not None:
        raise BadValue("name", f"a valid token is named {name!r}", hint="Revoke it first.")
    secret = "ka_" + secrets.token_urlsafe(32)
    insert(session, TokenRow(name=name, sha256=hash_of(secret), created_s=now_s))
    return secret


def revoke(session: Session, name: str, now_s: float) -> None:
    """End a token's validity."""
    valid = update(TokenRow).where(col(TokenRow.name) == name, col(TokenRow.revoked_s).is_(None))
    if not moved(session, valid.values(revoked_s=now_s)):
        raise BadValue("name", f"no valid token is named {name!r}")
