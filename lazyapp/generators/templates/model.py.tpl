class $class_name(Base):
    """$said."""

    __tablename__ = "$table"

    id: Mapped[int] = mapped_column(primary_key=True)
$columns
