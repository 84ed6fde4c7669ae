"""${message.replace("\\", "\\\\").replace('"', '\\"')}"""

import sqlalchemy as sa
from alembic import op
${imports + "\n" if imports else ""}
revision = ${repr(up_revision).replace("'", '"')}
down_revision = ${repr(down_revision).replace("'", '"')}


def upgrade() -> None:
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    ${downgrades if downgrades else "pass"}
