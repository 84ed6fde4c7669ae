import lazymcp

class $class_name(lazymcp.Base):
    """What AI clients may ask about $words."""
