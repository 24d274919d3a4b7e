"""Load a built torch binding in a runner, and bind its function for calls.

    light.so -> ctypes, arguments as `Value`s made once per slot
    full.so  -> a Python extension module, as torch imports it

Must never be imported in a builder for loading: a library's constructors run here. Start at `load`.
Not here: building (`guard.torch_build`).
"""

import ctypes
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from guard.domain.errors import MalformedSolution
from guard.domain.problem import PREPARE
from guard.domain.solution import Solution
from guard.ports import Call, Kernel
from guard.python_source import PythonKernel
from guard.torch_build import FULL_LIBRARY, LIGHT_LIBRARY, MODULE

# The order of `Api` in light_torch.h.
FUNCTIONS = (
    "get_data_ptr", "get_dim", "get_numel", "get_sizes", "get_strides", "get_dtype",
    "get_device_type", "get_device_index", "is_contiguous", "new_tensor_handle",
    "delete_tensor_object", "empty_strided", "zero_",
)  # fmt: skip
CUDA_FUNCTION = "get_current_cuda_stream"
TENSOR, WHOLE, NUMBER, TRUTH = range(4)
MAX_RESULTS = 64
MESSAGE_BYTES = 2000
# A full build names torch's functions without saying in which library they lie.
NEEDED = ("c10", "torch_cpu", "c10_cuda", "torch_cuda", "torch", "torch_python")


def load(solution: Solution, scratch: Path) -> Kernel:
    """Load the library below `scratch`, whichever way it was built.

    Raises:
        MalformedSolution: it defines no function of the entry point's name.
    """
    if (scratch / LIGHT_LIBRARY).is_file():
        return _light(solution, scratch / LIGHT_LIBRARY)
    return _full(solution, scratch / FULL_LIBRARY)


def _full(solution: Solution, path: Path) -> Kernel:
    for library in map(_library, NEEDED):
        if library.is_file():
            ctypes.CDLL(str(library), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    spec = spec_from_file_location(MODULE, path)
    if spec is None or spec.loader is None:
        raise MalformedSolution("sources", "no Python extension module came of it")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, solution.entry_point, None)
    if not callable(function):
        raise _no_function(solution)
    passes = solution.destination_passing_style
    return PythonKernel(function, passes, getattr(module, PREPARE, None))


def _light(solution: Solution, path: Path) -> Kernel:
    library = ctypes.CDLL(str(path))
    try:
        opened, found, called = (
            getattr(library, f"kernelarc_{n}") for n in ("open", "find", "call")
        )
    except AttributeError:
        raise MalformedSolution(
            "sources", "it has no PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)"
        ) from None
    opened.restype = None
    found.restype = called.restype = ctypes.c_int64
    opened(_api())
    at = int(found(solution.entry_point.encode()))
    if at < 0:
        raise _no_function(solution)
    function = partial(called, ctypes.c_int64(at))
    own = int(found(PREPARE.encode()))
    preparation = partial(called, ctypes.c_int64(own)) if own >= 0 else None
    return LightKernel(function, solution.destination_passing_style, preparation)


def _no_function(solution: Solution) -> MalformedSolution:
    name = solution.entry_point
    return MalformedSolution(
        "entry_point", f'the module has no function {name!r}: m.def("{name}", …)'
    )


def _library(name: str) -> Path:
    import torch

    return Path(torch.__file__).parent / "lib" / f"lib{name}.so"


def _api() -> Any:
    """Torch's C functions, in the order that the header states."""
    torch_cpu = ctypes.CDLL(str(_library("torch_cpu")))
    table = (ctypes.c_void_p * (len(FUNCTIONS) + 1))()
    for number, name in enumerate(FUNCTIONS):
        table[number] = _address(torch_cpu, name)
    if _library("torch_cuda").is_file():
        table[len(FUNCTIONS)] = _address(ctypes.CDLL(str(_library("torch_cuda"))), CUDA_FUNCTION)
    return table


def _address(library: ctypes.CDLL, name: str) -> int | None:
    return ctypes.cast(library[f"aoti_torch_{name}"], ctypes.c_void_p).value


class Value(ctypes.Structure):
    """One argument, as light_torch.h has it."""

    _fields_ = [
        ("kind", ctypes.c_int64),
        ("tensor", ctypes.c_void_p),
        ("whole", ctypes.c_int64),
        ("number", ctypes.c_double),
    ]


class LightKernel:
    """A function of a library that was built with the light headers."""

    def __init__(
        self,
        function: Callable[..., int],
        passes_outputs: bool,
        preparation: Callable[..., int] | None = None,
        prepared: tuple[Any, ...] = (),
    ) -> None:
        """`preparation`: what prepares constant inputs; `prepared`: what it made of one set."""
        self._function = function
        self._passes = passes_outputs
        self._room = 0 if passes_outputs else MAX_RESULTS
        self._preparation = preparation
        self._prepared = prepared

    def prepare(self, constants: Sequence[Any], axes: Mapping[str, int]) -> "LightKernel | None":
        """Give the function what its library prepared, in the place of these inputs."""
        if self._preparation is None:
            return None
        made = LightKernel(self._preparation, passes_outputs=False).bind(constants, (), axes)()
        return LightKernel(self._function, self._passes, prepared=tuple(made or ()))

    def bind(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        axes: Mapping[str, int],
        names: Sequence[str] = (),
    ) -> Call:
        """Convert every argument once; a call is then a single foreign call."""
        given = (*inputs, *self._prepared, *outputs)
        values = (Value * len(given))(*map(_value, given))
        count, room = ctypes.c_int64(len(given)), ctypes.c_int64(self._room)
        message = ctypes.create_string_buffer(MESSAGE_BYTES)
        function = partial(self._function, values, count)

        def call() -> Sequence[Any] | None:
            # Handles live as long as their tensors do, and those as long as this function.
            results = (ctypes.c_void_p * max(1, self._room))()
            made = function(results, room, message, ctypes.c_size_t(MESSAGE_BYTES))
            if made < 0:
                raise RuntimeError(message.value.decode(errors="replace"))
            return [_stolen(handle) for handle in results[:made]] if self._room else None

        return _Holding(call, given)


class _Holding:
    """A call that keeps what it points at."""

    def __init__(self, call: Call, held: Sequence[Any]) -> None:
        self._call, self._held = call, held

    def __call__(self) -> Sequence[Any] | None:
        return self._call()


def _value(given: Any) -> Value:
    match given:
        case bool():
            return Value(kind=TRUTH, whole=given)
        case int():
            return Value(kind=WHOLE, whole=given)
        case float():
            return Value(kind=NUMBER, number=given)
        case _:
            return Value(kind=TENSOR, tensor=_handle(given))


def _handle(tensor: Any) -> int:
    """A handle of torch's C functions: a tensor object of its own, for the runner's life."""
    from torch._C import _aoti

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(_aoti.unsafe_alloc_void_ptr_from_tensor(tensor), None))


def _stolen(handle: int | None) -> Any:
    from torch._C import _aoti

    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return _aoti.alloc_tensor_by_stealing_from_void_ptr(capsule(handle, None, None))
