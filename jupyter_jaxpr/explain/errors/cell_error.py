"""Explains the error that ended a cell.

The explanation names the line, the value that Python needed, the argument on which the value depends, and cures.
"""

from __future__ import annotations

import ast
import linecache
from dataclasses import replace

from ...interruptions import not_of_a_signal
from ...observe.observation import Finding, FoundCure
from ...observe.programs.program_before_error import raised_in
from ...observe.user_or_library.whose_code import is_jax
from ...plain_text import error_lines, file_of, kind_name, message_of
from ..loops.kinds_of_python_loops import parsed
from ..trials.refused_assignments import without_harm
from ..trials.trial_time_limit import Budget, error_budget
from .arguments.argument_counts import argument_count_error
from .arguments.argument_order_of_jax_functions import order_error
from .arguments.argument_order_of_user_functions import exchanged_error
from .arguments.bare_integers import bare_integer_error
from .arguments.bits_of_floats import bits_of_floats_error
from .arguments.cached_functions import cached_function_error
from .arguments.exchanged_results import exchanged_result_error
from .arguments.flattened_classes import flattened_class_error
from .arguments.floats_for_integers import float_error
from .arguments.integers_for_floats import integers_error
from .arguments.jit_arguments import argument_error
from .arguments.misplaced_arguments import misplaced_error
from .arguments.moved_imports import moved_import_error
from .arguments.numbers_as_strings import string_number_error
from .arguments.optimizer_updates import other_update_error
from .arguments.options_by_position import option_error
from .arguments.order_of_unflatten import unflatten_order_error
from .arguments.own_classes import own_class_error
from .arguments.pallas_blocks import pallas_block_error
from .arguments.python_objects import python_object_error
from .arguments.result_types import result_type_error
from .arguments.results_in_other_order import results_error
from .arguments.rows_as_arguments import rows_error
from .arguments.shifted_floats import shifted_float_error
from .arguments.structures_of_gradients import gradient_structure_error, mapped_function_error
from .arguments.tree_differences import tree_error
from .arguments.values_for_arrays import value_for_array_error
from .arguments.values_without_arrays import python_value_error
from .arguments.whole_results import whole_result_error
from .control_flow.associative_scans import associative_scan_error, slices_error
from .control_flow.construct_errors import construct_error
from .control_flow.exchanged_parameters import exchanged_parameter_error
from .control_flow.listed_layers import listed_layers_error
from .control_flow.scan_lengths import scan_length_error
from .earlier_lines.donated_twice import donated_twice_error
from .earlier_lines.earlier_causes import state_error
from .earlier_lines.failed_checks import failed_check_error
from .earlier_lines.read_only_arrays import read_only_error
from .explanation import Explained
from .failing_code.edits import edited, shown
from .failing_code.place_of_error import RaisedAt, raised_at, touches_jax
from .flax_modules.frozen_dicts import frozen_dict_error
from .flax_modules.module_keys import module_key_error
from .flax_modules.module_variables import module_variables_error
from .flax_modules.nnx_values import nnx_value_error
from .flax_modules.sequential_layers import sequential_error
from .flax_modules.spatial_inputs import spatial_input_error
from .flax_modules.traced_modules import traced_module_error
from .flax_modules.unchanged_collections import unchanged_collection_error
from .message_tables.explained_by_message import message_error
from .message_tables.quoted_message import quoted_error
from .random_keys.arrays_of_keys import array_of_keys_error
from .random_keys.random_calls import random_call_error
from .random_keys.unpacked_keys import unpacked_key_error
from .shapes.array_operations import array_error
from .shapes.batched_products import batched_product_error
from .shapes.booleans import boolean_difference_error
from .shapes.convolutions import convolution_error
from .shapes.indices_along_an_axis import indices_along_axis_error
from .shapes.inverted_floats import inverted_floats_error
from .shapes.linear_systems import linear_system_error
from .shapes.mask_shapes import mask_shape_error
from .shapes.matrices import matrix_error
from .shapes.numbers_of_axes import number_of_axes_error
from .shapes.operand_dtypes import operand_dtype_error
from .shapes.pad_widths import pad_width_error
from .shapes.raveled_trees import raveled_tree_error
from .shapes.sizes_where_made import with_sizes
from .shapes.slice_starts import slice_starts_error
from .shapes.summed_axes import summed_axes_error
from .shapes.updates_without_axes import update_axes_error
from .traced_values.callbacks import callback_error
from .traced_values.concretization_errors import value_error
from .traced_values.functions_in_place import in_place_error
from .traced_values.indexed_dicts import array_key_error
from .traced_values.needed_integers import plain_value_error
from .traced_values.single_numbers import single_number_error
from .traced_values.wrong_uses_of_at import wrong_use_of_at_error
from .transforms.arguments_of_the_function import function_arguments_error
from .transforms.axis_names import axis_name_error
from .transforms.checks_without_checkify import check_without_checkify_error
from .transforms.derivative_rules import derivative_rule_error
from .transforms.grad_and_vmap import transform_error
from .transforms.has_aux import forward_pair_error
from .transforms.jvp_rules import jvp_rule_error
from .transforms.mapped_specs import mapped_spec_error
from .transforms.mesh_sizes import mesh_size_error
from .transforms.nan_gradients import nan_gradient_error
from .transforms.results_of_jvp_rules import jvp_result_error
from .transforms.results_of_vjp_rules import vjp_result_error
from .transforms.reverse_mode import reverse_mode_error
from .transforms.rule_parameters import rule_parameters_error
from .transforms.swapped_value_and_grad import swapped_values_error
from .transforms.tangents import tangent_error

#: The functions that explain errors, in the order in which they are tried; the first explanation is shown.
_KINDS = (
    moved_import_error,
    traced_module_error,
    wrong_use_of_at_error,
    in_place_error,
    frozen_dict_error,
    results_error,
    exchanged_error,
    exchanged_result_error,
    whole_result_error,
    swapped_values_error,
    other_update_error,
    cached_function_error,
    nnx_value_error,
    sequential_error,
    associative_scan_error,
    pallas_block_error,
    bare_integer_error,
    integers_error,
    float_error,
    option_error,
    listed_layers_error,
    rule_parameters_error,
    tangent_error,
    jvp_rule_error,
    function_arguments_error,
    unpacked_key_error,
    array_of_keys_error,
    unflatten_order_error,
    flattened_class_error,
    rows_error,
    string_number_error,
    mapped_function_error,
    python_value_error,
    order_error,
    exchanged_parameter_error,
    random_call_error,
    misplaced_error,
    failed_check_error,
    forward_pair_error,
    state_error,
    donated_twice_error,
    read_only_error,
    plain_value_error,
    single_number_error,
    gradient_structure_error,
    tree_error,
    value_error,
    array_key_error,
    result_type_error,
    python_object_error,
    construct_error,
    scan_length_error,
    reverse_mode_error,
    convolution_error,
    callback_error,
    own_class_error,
    derivative_rule_error,
    jvp_result_error,
    vjp_result_error,
    axis_name_error,
    argument_error,
    argument_count_error,
    module_key_error,
    module_variables_error,
    unchanged_collection_error,
    spatial_input_error,
    nan_gradient_error,
    transform_error,
    batched_product_error,
    slices_error,
    operand_dtype_error,
    linear_system_error,
    matrix_error,
    number_of_axes_error,
    pad_width_error,
    raveled_tree_error,
    update_axes_error,
    slice_starts_error,
    summed_axes_error,
    boolean_difference_error,
    inverted_floats_error,
    mapped_spec_error,
    mesh_size_error,
    check_without_checkify_error,
    mask_shape_error,
    bits_of_floats_error,
    shifted_float_error,
    indices_along_axis_error,
    array_error,
    message_error,
    value_for_array_error,
    quoted_error,
)


def explained(error: BaseException, function: str) -> Explained:
    """Return the explanation of an error: a title, sentences, the place in the user's code, and cures.

    Args:
        error: The exception of a trace or of a call.
        function: Name of the traced function; empty if JAX traced no function.
    """
    return _explained(error, function, raised_at(error))


def _explained(error: BaseException, function: str, raised: RaisedAt | None, budget: Budget | None = None) -> Explained:
    with error_budget(budget):
        return _explained_in_time(error, function, raised)


def _explained_in_time(error: BaseException, function: str, raised: RaisedAt | None) -> Explained:
    place = raised.place if raised is not None else None
    function = function or (place.function.rpartition(".")[2] if place is not None else "")
    for look in _KINDS:
        try:
            explained_error = look(error, raised, function)
        except not_of_a_signal(Exception):  # a failed explanation must not hide the error itself
            continue
        if explained_error is not None:
            if look in (array_error, convolution_error):
                explained_error = _with_sizes(explained_error, raised, message_of(error).strip())
            cures = (without_harm(raised, _parsed(cure)) for cure in explained_error.cures)
            return replace(explained_error, place=explained_error.place or place, cures=tuple(map(shown, cures)))
    return Explained(place)


def _with_sizes(explained_error: Explained, raised: RaisedAt | None, text: str) -> Explained:
    try:
        return with_sizes(explained_error, raised, text)
    except not_of_a_signal(Exception):  # the explanation is right without the lines that made the operands
        return explained_error


def _parsed(cure: FoundCure) -> FoundCure:
    """Return the cure unchanged if the edited file is valid Python; otherwise the cure without its code and edits."""
    for file in {edit.place.file for edit in cure.edits}:
        source = "".join(linecache.getlines(file))
        loops = parsed(source)
        edits = [edit for edit in cure.edits if edit.place.file == file]
        try:
            ast.parse(edited("\n".join(loops.lines) if loops is not None else source, edits))
        except not_of_a_signal(SyntaxError, ValueError):
            return replace(cure, level="advice", code=None, edits=())
    return cure


def error_finding(error: BaseException, function: str | None, budget: Budget) -> Finding | None:
    """Return a finding on why a cell raised; None if the error came neither from JAX nor from a trace.

    Args:
        error: The exception that ended the cell.
        function: Name of the user's jitted function whose call raised the error; None without such a call.
        budget: The time for the trials of cures.
    """
    if function is None:
        return raised_error(error, raised_in(error), budget)
    return trace_error(error, function, budget)


def trace_error(error: BaseException, function: str, budget: Budget | None = None) -> Finding:
    """Return a finding on why a trace raised.

    Args:
        error: The exception of the trace, or of the call of the jitted function.
        function: Name of the jitted function.
        budget: The time limit for the trials of cures; None for the limit of a cell that raised an error.
    """
    raised = raised_at(error)
    if raised is not None and raised.place.function != "<module>" and _is_of_jax(function, error):
        function = raised.place.function.rpartition(".")[2]
    explained_error = _explained(error, function, raised, budget)
    # Outside of IPython, JAX removes its own frames from the traceback, so `raised.in_trace` can be False in a trace.
    in_trace = raised is not None and (raised.in_trace or raised.place.function.rpartition(".")[2] == function)
    if explained_error.title is None:
        error_line = _first_line(error)
        text = f"{function} could not be traced. The trace raised {error_line}."
        if not in_trace:
            text = f"The call of {function} raised {error_line}."
    # JAX raises FloatingPointError after a program ran, when it checks the results for NaN.
    elif (explained_error.traced or in_trace) and not isinstance(error, FloatingPointError):
        text = f"{function} could not be traced. {explained_error.text}".rstrip()
    else:
        text = explained_error.text or f"The call raised {_first_line(error)}."
    return Finding(
        "trace_raised",
        text,
        cure="Correct the line that raised the error, and run the cell again."
        if explained_error.title is None
        else None,
        detail=error_lines(error),
        function=function,
        place=explained_error.place,
        title=explained_error.title,
        cures=explained_error.cures,
    )


def _is_of_jax(function: str, error: BaseException) -> bool:
    """Return whether the function that JAX traced is JAX's own, such as the `_reduce_sum` of `jnp.sum`."""
    files_of_function = set()
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_name == function:
            files_of_function.add(file_of(code))
        traceback = traceback.tb_next
    return bool(files_of_function) and all(map(is_jax, files_of_function))


def raised_error(error: BaseException, function: str | None, budget: Budget | None = None) -> Finding | None:
    """Return a finding on why a cell raised; None if the error came neither from JAX nor from a trace.

    Args:
        error: The exception that ended the cell.
        function: Name of the function whose trace raised the error; None without a trace of the user.
        budget: The time limit for the trials of cures; None for the limit of a cell that raised an error.
    """
    raised = raised_at(error)
    if function is not None and (raised is None or raised.in_trace):
        return trace_error(error, function, budget)
    explained_error = _explained(error, "", raised, budget)
    if explained_error.title is None:
        return None
    return Finding(
        "raised",
        explained_error.text or f"The line raised {_first_line(error)}.",
        detail=error_lines(error),
        place=explained_error.place,
        title=explained_error.title,
        cures=explained_error.cures,
    )


def is_of_call(error: BaseException, function: str) -> bool:
    """Return whether a call of a jitted function may have raised the error.

    The call may have raised the error if JAX took part in the error, or if the failing line names the function.
    """
    raised = raised_at(error)
    return touches_jax(error) or (raised is not None and function in (raised.text or ""))


def _first_line(error: BaseException) -> str:
    kind = kind_name(type(error))
    first = message_of(error).strip().partition("\n")[0].rstrip(".:")
    return f"{kind}: {first}" if first else kind
