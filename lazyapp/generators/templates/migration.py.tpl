"""$summary"""

${imports}revision = $revision
down_revision = $down_revision


def upgrade() -> None:
$up


def downgrade() -> None:
$down
