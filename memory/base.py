"""What all tables are made of: their base, and indexes that hold under a condition.

Start at `Row`. Not here: the tables (`tables`).
"""

from typing import ClassVar

from sqlalchemy import Index, MetaData, text
from sqlmodel import SQLModel


class Row(SQLModel):
    """The base of all tables of the board; they share one metadata of their own."""

    metadata: ClassVar[MetaData] = MetaData()


def unique_while(condition: str, name: str, *columns: str) -> Index:
    """An index by which only one row at a time may have these values and meet the condition."""
    # The same condition for both products that know partial indexes; a third would need its own.
    where = text(condition)
    return Index(name, *columns, unique=True, sqlite_where=where, postgresql_where=where)


def listed_while(condition: str, name: str, *columns: str) -> Index:
    """An index over the rows that meet the condition alone: a list in the order of the columns."""
    where = text(condition)
    return Index(name, *columns, sqlite_where=where, postgresql_where=where)
