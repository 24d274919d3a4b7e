"""Step 1: all tables, as they are today.

Never run on a database that has tables: later steps bring those up to date.
"""

from sqlalchemy import Connection

from memory.course_tables import CampaignEventRow
from memory.migrations.ledger import step
from memory.tables import SubmissionRow


@step(1, "the first board")
def create(connection: Connection) -> None:
    """Create all tables and indexes."""
    # Any of each module: they share one metadata.
    for table in (SubmissionRow, CampaignEventRow):
        table.metadata.create_all(connection)
