"""A replay's state as plain data and back, so that a long one can be taken up where it was left.

Promises that only the listed classes come back and that nothing in the data is executed: what it reads may have been
edited by anyone.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from borgd.errors import BorgError
from borgd.replay.estimate.intervals import Bootstrap
from borgd.replay.estimate.pseudo import Sequences
from borgd.replay.estimate.running_sums import RunningSums, Sums
from borgd.replay.headline import Cost, Headline
from borgd.replay.keys import SortedKeys
from borgd.replay.occasions import Occasions
from borgd.replay.rewards import Lessons, Rates

CLASSES = {
    kind.__name__: kind
    for kind in (RunningSums, Sums, Cost, Headline, Occasions, Bootstrap, SortedKeys, Sequences, Lessons, Rates)
}
TAG = "!"
DTYPES = frozenset({"float64", "int64", "uint64"})


def freeze(value: Any) -> Any:
    """``value`` in types that msgpack knows."""
    if value is None or isinstance(value, bool | float | str | bytes):
        return value
    if isinstance(value, int):
        return value if -(1 << 63) <= value < 1 << 63 else {TAG: "int", "v": str(value)}
    if isinstance(value, np.ndarray):
        return {
            TAG: "array",
            "dtype": value.dtype.name,
            "shape": list(value.shape),
            "v": np.ascontiguousarray(value).tobytes(),
        }
    if isinstance(value, dict):
        kind = "counter" if isinstance(value, Counter) else "dict"
        return {TAG: kind, "v": [[freeze(key), freeze(each)] for key, each in value.items()]}
    if isinstance(value, list | tuple | set):
        return {TAG: type(value).__name__, "v": [freeze(each) for each in value]}
    if isinstance(value, np.random.Generator):
        return {TAG: "random", "v": freeze(value.bit_generator.state)}
    if type(value).__name__ in CLASSES:
        return {TAG: type(value).__name__, "v": freeze(vars(value))}
    raise TypeError(f"cannot store a {type(value).__name__}")


def thaw(data: Any) -> Any:
    """What ``freeze`` made.

    :raises BorgError: it is nothing that freeze makes.
    """
    try:
        return _thaw(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BorgError(f"the saved replay cannot be read ({error}); start again without it") from None


def _thaw(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    tag, inner = data[TAG], data["v"]
    if tag == "int":
        return int(inner)
    if tag == "array":
        if data["dtype"] not in DTYPES:
            raise ValueError(data["dtype"])
        return np.frombuffer(inner, dtype=data["dtype"]).reshape(data["shape"]).copy()
    if tag in ("dict", "counter"):
        pairs = {_thaw(key): _thaw(value) for key, value in inner}
        return Counter(pairs) if tag == "counter" else pairs
    if tag in ("list", "tuple", "set"):
        return {"list": list, "tuple": tuple, "set": set}[tag](_thaw(each) for each in inner)
    if tag == "random":
        random = np.random.default_rng()
        random.bit_generator.state = _thaw(inner)
        return random
    made = object.__new__(CLASSES[tag])
    for name, value in _thaw(inner).items():
        setattr(made, name, value)
    return made
