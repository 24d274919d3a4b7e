import pytest
from sqlalchemy import Dialect, Table, make_url
from sqlalchemy.schema import CreateIndex, CreateTable

from memory.tables import SubmissionRow

SQLITE, POSTGRESQL = (make_url(f"{name}://").get_dialect()() for name in ("sqlite", "postgresql"))
TABLES = SubmissionRow.metadata.sorted_tables


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_every_table_can_be_created_in_another_product(table: Table) -> None:
    assert str(CreateTable(table).compile(dialect=POSTGRESQL))


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_number_that_the_database_gives_is_never_given_again(table: Table) -> None:
    numbered = table.autoincrement_column is not None
    made = str(CreateTable(table).compile(dialect=SQLITE))

    assert ("AUTOINCREMENT" in made) is numbered


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRESQL], ids=["lite", "pg"])
def test_what_may_exist_once_at_a_time_is_a_partial_unique_index(dialect: Dialect) -> None:
    made = [
        str(CreateIndex(index).compile(dialect=dialect))
        for table in TABLES
        for index in table.indexes
        if index.unique
    ]

    partial = [sql for sql in made if sql.startswith("CREATE UNIQUE") and "WHERE" in sql]
    assert len(partial) == 6
