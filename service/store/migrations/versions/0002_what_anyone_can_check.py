"""What anyone can check: the service's keys, receipts, promised nonces"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "service_key",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kid", sa.Text(), nullable=False),
        sa.Column("jwk", sa.Text(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("kid"),
    )
    op.add_column("entry", sa.Column("receipt", sa.Text(), nullable=True))
    op.add_column("match", sa.Column("shuffle", sa.Text(), server_default="joint", nullable=False))
    op.add_column("player", sa.Column("deleted_at", sa.BigInteger(), nullable=True))
    op.add_column("seated", sa.Column("promise", sa.Text(), nullable=True))
    op.add_column("submission", sa.Column("receipt", sa.Text(), nullable=True))
