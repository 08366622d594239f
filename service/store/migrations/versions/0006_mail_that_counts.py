"""Whose mail was signed by its domain, and which submissions came in a mail"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("player", sa.Column("signed_by", sa.Text(), nullable=True))
    op.add_column("submission", sa.Column("by_mail", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE submission SET by_mail = (kid = 'mail')")
