"""Tests which words of a printed jaxpr a saved page folds, with the label in their place."""

from __future__ import annotations

import pytest

from jupyter_jaxpr.exports.folded_jaxpr_parameters import folded_words

pytestmark = pytest.mark.any_jax


def folded(text):
    """Return each line that has a folded part, with the part between ⟨ and ⟩; then its label, name and open label."""
    lines = text.strip("\n").split("\n")
    shown = []
    for number, words in folded_words(lines).items():
        line = lines[number]
        shown.append(f"{line[: words.begin]}⟨{line[words.begin : words.end]}⟩{line[words.end :]}".strip())
        shown.append(f"    {words.label} · {words.name} · {words.opened}")
    return shown


def test_the_parameters_of_an_equation_are_folded_behind_the_parameter_that_says_most():
    assert folded("""
{ lambda ; a:f32[4]. let
    b:f32[4] = integer_pow[y=2] a
    c:f32[] = reduce_sum[axes=(0,) out_sharding=None] b
    d:f32[4] = rev[dimensions=(0,)] c  # y
    e:f32[] = dot_general[dimension_numbers=(([0], [0]), ([], [])) preferred_element_type=float32] a a
  in (c, e) }
""") == [
        "c:f32[] = reduce_sum[⟨axes=(0,) out_sharding=None⟩] b",
        "    axes=(0,) … · the parameters of reduce_sum · ▾",
        "d:f32[4] = rev[⟨dimensions=(0,)⟩] c  # y",
        "    dimensions=(0,) · the parameters of rev · ▾",
        "e:f32[] = dot_general[⟨dimension_numbers=(([0], [0]), ([], [])) preferred_element_type=float32⟩] a a",
        "    … · the parameters of dot_general · ▾",
    ]


def test_each_line_of_parameters_beside_an_inner_jaxpr_is_folded_and_the_inner_jaxpr_is_not():
    assert folded("""
{ lambda ; a:f32[4]. let
    b:f32[4] c:f32[10,4] = scan[
      _split_transpose=False
      jaxpr={ lambda ; d:f32[4]. let
          e:f32[4] = jit[
            name=silu
            jaxpr={ lambda ; f:f32[4]. let g:f32[4] = logistic[accuracy=None] f in (g,) }
          ] d
        in (e, e) }
      length=10 linear=(False, False)
    ] a
  in (b,) }
""") == [
        "⟨_split_transpose=False⟩",
        "    … · the parameters of scan · ▾",
        "⟨length=10 linear=(False, False)⟩",
        "    length=10 … · the parameters of scan · ▾",
    ]


def test_the_middle_of_many_parameters_of_a_program_is_counted():
    parameters = " ".join(f"{letter}:f32[]" for letter in "abcdefghi")
    assert folded("{ lambda ; " + parameters + ". let") == [
        "{ lambda ; a:f32[]⟨ b:f32[] c:f32[] d:f32[] e:f32[] f:f32[] g:f32[] h:f32[]⟩ i:f32[]. let",
        "    … 7 more · 7 parameters · ▾ 7",
    ]
    assert folded("{ lambda ; " + parameters.removesuffix(" i:f32[]") + ". let") == []
    assert folded("{ lambda c:f32[4] ; " + parameters + ". let") == []


def test_a_value_that_is_too_long_for_a_label_is_folded_as_a_whole():
    name = "a_function_with_a_name_of_more_than_thirty_letters"
    assert folded(f"    b:f32[] = custom_jvp_call[name={name} num_consts=0] a")[1:] == [
        "    … · the parameters of custom_jvp_call · ▾"
    ]


def test_positions_are_counted_as_javascript_counts_them():
    (words,) = folded_words(["    b:f32[] = custom_jvp_call[name=𝜑 symbolic_zeros=False] a"]).values()
    assert words.data == [30, 58, "name=𝜑 …", "the parameters of custom_jvp_call", "▾"]
