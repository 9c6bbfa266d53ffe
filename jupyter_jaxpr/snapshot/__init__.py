"""The document: types, builder, schema."""
