"""Step 1: the tables of `memory.tables`, as they are today.

Never run on a database that has tables: later steps bring those up to date.
"""

from sqlalchemy import Connection

from memory.migrations.ledger import step
from memory.tables import SubmissionRow


@step(1, "the first board")
def create(connection: Connection) -> None:
    """Create all tables and indexes."""
    # Any of them: they share one metadata.
    SubmissionRow.metadata.create_all(connection)
