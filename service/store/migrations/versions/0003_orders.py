"""Whose turn it is, standing orders, who vouched for a key, and what players prefer"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "order",
        sa.Column("match_id", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Text(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("once", sa.Boolean(), nullable=False),
        sa.Column("hour", sa.Text(), nullable=True),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("grade", sa.Text(), nullable=False),
        sa.Column("kid", sa.Text(), nullable=False),
        sa.Column("jti", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("given_at", sa.BigInteger(), nullable=False),
        sa.Column("receipt", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"]),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat", "number"),
        sa.UniqueConstraint("kid", "jti"),
    )
    op.add_column("match", sa.Column("turn", sa.Integer(), nullable=True))
    op.add_column("match", sa.Column("turn_since", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("match", sa.Column("asked_at", sa.BigInteger(), nullable=True))
    op.add_column("match", sa.Column("orders_due", sa.BigInteger(), nullable=True))
    op.create_index(op.f("ix_match_orders_due"), "match", ["orders_due"], unique=False)
    op.add_column("key", sa.Column("vouched", sa.Text(), nullable=False, server_default="signed"))
    op.add_column("player", sa.Column("preferences", sa.Text(), nullable=False, server_default="{}"))
    op.execute("UPDATE match SET turn = to_act")
