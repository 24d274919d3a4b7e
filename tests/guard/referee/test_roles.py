"""`guard.referee.roles`: what an input's name says."""

import pytest

from guard.referee.roles import Role, role

MATRIX, SQUARE, VECTOR = (4, 8), (2, 8, 8), (8,)
NAMES = [
    ("x", MATRIX, "", Role.PLAIN),
    ("weight", VECTOR, "", Role.PLAIN),
    ("weight", MATRIX, "", Role.WEIGHT),
    ("weight2", MATRIX, "", Role.WEIGHT),
    ("q_proj", MATRIX, "", Role.WEIGHT),
    ("o_proj_weight", MATRIX, "", Role.WEIGHT),
    ("up_weights", MATRIX, "", Role.WEIGHT),
    ("proj_bias", VECTOR, "", Role.PLAIN),
    ("norm_weight", VECTOR, "", Role.NORM_WEIGHT),
    ("q_norm_weight", VECTOR, "", Role.NORM_WEIGHT),
    ("input_layernorm_weight", VECTOR, "", Role.NORM_WEIGHT),
    ("norm1_weight", VECTOR, "", Role.NORM_WEIGHT),
    ("norm_bias", VECTOR, "", Role.NORM_BIAS),
    ("norm2_bias", VECTOR, "", Role.NORM_BIAS),
    ("attention_mask", SQUARE, "", Role.CAUSAL_MASK),
    ("attention_mask", MATRIX, "", Role.BINARY_MASK),
    ("bias", SQUARE, "a causal attention mask", Role.CAUSAL_MASK),
    ("pad_mask", MATRIX, "binary: 1.0 for valid", Role.BINARY_MASK),
    ("pad_mask", MATRIX, "", Role.PLAIN),
    ("cos", MATRIX, "", Role.COSINE),
    ("sin_cached", MATRIX, "", Role.SINE),
    ("rstd", VECTOR, "", Role.POSITIVE),
    ("saved_rstd2", VECTOR, "", Role.POSITIVE),
    ("running_var", VECTOR, "", Role.POSITIVE),
    ("A_log", VECTOR, "", Role.DECAY_LOG),
    ("A_cumsum", VECTOR, "", Role.DECAY_SUM),
    ("g", VECTOR, "", Role.DECAY_GATE),
    ("attn_weights", MATRIX, "", Role.PROBABILITIES),
    ("p", MATRIX, "output of a softmax", Role.PROBABILITIES),
]


@pytest.mark.parametrize(("name", "shape", "description", "expected"), NAMES)
def test_a_name_has_its_role(name, shape, description, expected):
    assert role(name, description, shape) is expected


def test_an_input_without_description_is_read_by_its_name():
    assert role("x", None, MATRIX) is Role.PLAIN
