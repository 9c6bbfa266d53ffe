"""Explains errors of grad, vmap and other transforms: in_axes, has_aux and rules of derivatives."""
