"""The ledger of notices, and what was learnt of addresses"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "step",
        sa.Column("notice_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["notice_id"], ["notice.id"]),
        sa.PrimaryKeyConstraint("notice_id", "number"),
    )
    op.create_table(
        "address",
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("bounces", sa.Integer(), nullable=False),
        sa.Column("suppressed_at", sa.BigInteger(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("uninvited", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("address"),
    )
    op.create_index("notice_by_player", "notice", ["player_id", "created_at"], unique=False)
    op.create_index("notice_by_address", "notice", ["address", "done_at"], unique=False)
