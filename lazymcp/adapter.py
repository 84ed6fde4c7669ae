"""What pydantic makes of a type: a validator, a serialiser and a schema. The one file that uses pydantic's internals.

`TypeAdapter` shows every validator that it makes to pydantic's plugins, and to find them it reads the entry points of all installed
distributions: a tenth of the time in which a local process gives its first answer. Plugins are there to watch the validators of
an application; those of a tool's signature are ours, and go unwatched.
"""

from typing import Any

from pydantic import ConfigDict, PydanticUndefinedAnnotation, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import SchemaSerializer, SchemaValidator

__all__ = ["adapter_of"]


def adapter_of(annotation: Any, config: ConfigDict | None = None) -> TypeAdapter[Any]:
    """A `TypeAdapter`, made without a look for plugins where this release of pydantic lets us.

    Args:
        annotation: the type.
        config: for a type that cannot bring its own; a model, a dataclass and a TypedDict keep theirs.

    Raises:
        PydanticUserError: pydantic has no schema for the type.
    """
    if not hasattr(annotation, "__pydantic_validator__") and (adapter := _without_plugins(annotation, config)):
        return adapter
    try:
        return TypeAdapter(annotation, config=config)
    except PydanticUserError as problem:
        if problem.code != "type-adapter-config-unused":
            raise
        return TypeAdapter(annotation)


def _without_plugins(annotation: Any, config: ConfigDict | None) -> TypeAdapter[Any] | None:
    """What `TypeAdapter` would have become, or None where it has to see to it itself."""
    try:
        from pydantic._internal._config import ConfigWrapper
        from pydantic._internal._generate_schema import GenerateSchema, InvalidSchemaError
        from pydantic.type_adapter import _type_has_config
    except ImportError:
        return None
    adapter: TypeAdapter[Any] = TypeAdapter.__new__(TypeAdapter)
    adapter._type = annotation
    adapter._config = None if _type_has_config(annotation) else config
    wrapper = ConfigWrapper(adapter._config)
    generator = GenerateSchema(wrapper)
    try:
        adapter.core_schema = generator.clean_schema(generator.generate_schema(annotation))
    except (PydanticUndefinedAnnotation, InvalidSchemaError):
        return None
    adapter.validator = SchemaValidator(adapter.core_schema, wrapper.core_config(None))
    adapter.serializer = SchemaSerializer(adapter.core_schema, wrapper.core_config(None))
    adapter.pydantic_complete = True
    return adapter
