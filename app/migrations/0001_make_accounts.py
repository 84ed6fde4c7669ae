"""Make accounts"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    # An application that was made before it had migrations has this table already; it is taken over as it is.
    op.create_table(
        "accounts",
        sa.Column("email", sa.String(254), primary_key=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        if_not_exists=True,
    )


def downgrade() -> None:
    op.drop_table("accounts")
