"""Bots at the table, and when they move"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("seated") as seated:  # SQLite changes a column by writing its table anew
        seated.alter_column("player_id", existing_type=sa.Text(), nullable=True)
        seated.add_column(sa.Column("bot", sa.Text(), nullable=True))
    op.add_column("match", sa.Column("bot_due", sa.BigInteger(), nullable=True))
    op.create_index(op.f("ix_match_bot_due"), "match", ["bot_due"], unique=False)
