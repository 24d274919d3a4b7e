"""Read a solution: SOL-ExecBench's ``solution.json``, or one bare source file.

Nothing is compiled or executed; whether a language accepts the solution is that language's
`check`. SOL-ExecBench's DSL and library languages are refused with a reason.

Start at `read` and `bare`. Not here: problem folders (`sol_execbench`).
"""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field, ValidationError

from guard import plugins
from guard.domain.errors import MalformedSolution, SourceTooLarge
from guard.domain.problem import PREPARE, Definition, Imported
from guard.domain.solution import MAX_SOURCE_BYTES, LaunchPlan, Solution, Source
from guard.formats._strict_json import Unreadable, read_object, read_text

LAUNCH_SUFFIX = ".launch.json"
"""A launch plan lies beside its bare source: ``kernel.cu`` and ``kernel.launch.json``."""
_PYTHON = ".py"
_TORCH_BINDING = "cuda_cpp"
_CUDA_FLAGS_LEFT_OUT = ("-O3", "--use_fast_math")
"""Upstream's for a torch binding whose options name none."""
_UNAVAILABLE = {
    name: "this language of SOL-ExecBench is not available here"
    for name in ("cute_dsl", "cutile", "cudnn_frontend", "cutlass", "cudnn", "cublas")
}


class _Options(Imported):
    cflags: tuple[str, ...] = ()
    cuda_cflags: tuple[str, ...] = ()
    ld_flags: tuple[str, ...] = ()


class _Spec(Imported):
    languages: tuple[str, ...]
    entry_point: str
    destination_passing_style: bool = True
    binding: str | None = None
    compile_options: _Options | None = None
    launch_plan: LaunchPlan | None = None


class _Source(Imported):
    path: Annotated[str, Field(min_length=1, max_length=200)]
    content: str | None = None


class _SolutionFile(Imported):
    name: str = ""
    definition: str
    spec: _Spec
    sources: Annotated[tuple[_Source, ...], Field(min_length=1, max_length=64)]


def read(path: Path, definition: Definition, language: str = "") -> Solution:
    """Read a ``solution.json``; `language`, where given, must be the one it names.

    Raises:
        MalformedSolution: the field and the reason.
        SourceTooLarge: the sources together exceed the limit.
    """
    file = _parsed(path)
    if file.definition != definition.name:
        reason = f"it is {file.definition!r}, but the problem's is {definition.name!r}"
        raise MalformedSolution("definition", reason)
    entry_file, _, function = file.spec.entry_point.partition("::")
    if not entry_file or not function.isidentifier():
        reason = f"{file.spec.entry_point!r} is not 'file::function'"
        raise MalformedSolution("spec.entry_point", reason)
    sources = _entry_first(_filled(file.sources, path.parent), entry_file)
    chosen = _language(file.spec, sources)
    if language and language != chosen:
        reason = f"they mean {chosen!r}, but {language!r} was asked for"
        raise MalformedSolution("spec.languages", reason)
    return Solution(
        definition=definition.name,
        language=chosen,
        sources=sources,
        entry_point=function,
        destination_passing_style=file.spec.destination_passing_style,
        options=_options(file.spec.compile_options, chosen),
        launch_plan=file.spec.launch_plan,
    )


def bare(path: Path, definition: Definition, language: str = "") -> Solution:
    """Read one source file whose function is `run`.

    A Python file is in return style when its `run` takes the inputs alone; where it prepares
    constant inputs, when the last parameters are not named as the outputs. A launch plan is read
    from the file of the same name that ends in ``.launch.json``.

    Raises:
        MalformedSolution: the field and the reason.
        SourceTooLarge: the source exceeds the limit.
    """
    content = _text(path, path.name)
    _check_size(content)
    chosen = language or _guess(path, content)
    return Solution(
        definition=definition.name,
        language=chosen,
        sources=(Source(path=path.name, content=content),),
        destination_passing_style=not _returns(path, content, definition),
        launch_plan=_plan_beside(path),
    )


def parameters(tree: ast.Module, function: str) -> list[str] | None:
    """The positional parameters of a top-level function, or None without such a function."""
    for node in reversed(tree.body):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    return None


def _parsed(path: Path) -> _SolutionFile:
    try:
        return _SolutionFile.model_validate(read_object(path))
    except Unreadable as error:
        where = f"{path.name}:{error.line}" if error.line else path.name
        raise MalformedSolution("file", f"{where}: {error.reason}") from error
    except ValidationError as error:
        raise _malformed(error) from error


def _malformed(error: ValidationError, prefix: str = "") -> MalformedSolution:
    first = error.errors(include_url=False)[0]
    field = ".".join([prefix] * bool(prefix) + [str(part) for part in first["loc"]])
    return MalformedSolution(field or "file", str(first["msg"]).removeprefix("Value error, "))


def _text(path: Path, field: str) -> str:
    try:
        text = read_text(path)
    except Unreadable as error:
        raise MalformedSolution(field, error.reason) from error
    if not text.strip():
        raise MalformedSolution(field, "the file is empty")
    return text


def _check_size(*contents: str) -> None:
    size = sum(len(content.encode()) for content in contents)
    if size > MAX_SOURCE_BYTES:
        raise SourceTooLarge(size, MAX_SOURCE_BYTES)


def _filled(sources: Sequence[_Source], folder: Path) -> list[Source]:
    filled: list[Source] = []
    for index, source in enumerate(sources):
        field = f"sources.{index}.path"
        parts = PurePosixPath(source.path).parts
        if source.path.startswith("/") or ".." in parts or "\\" in source.path:
            raise MalformedSolution(field, f"{source.path!r} must be relative, without '..'")
        if any(source.path == other.path for other in filled):
            raise MalformedSolution(field, f"{source.path!r} appears twice")
        content = source.content if source.content is not None else _beside(folder, source, field)
        if not content.strip():
            raise MalformedSolution(f"sources.{index}.content", "is empty")
        filled.append(Source(path=source.path, content=content))
    _check_size(*(source.content for source in filled))
    return filled


def _beside(folder: Path, source: _Source, field: str) -> str:
    path = folder / source.path
    if not path.resolve().is_relative_to(folder.resolve()):
        raise MalformedSolution(field, f"{source.path!r} leads out of the solution's folder")
    return _text(path, field)


def _entry_first(sources: list[Source], entry_file: str) -> tuple[Source, ...]:
    entry = [source for source in sources if source.path == entry_file]
    if not entry:
        reason = f"no source is called {entry_file!r}"
        raise MalformedSolution("spec.entry_point", reason)
    return (*entry, *(source for source in sources if source.path != entry_file))


def _language(spec: _Spec, sources: Sequence[Source]) -> str:
    known = plugins.load("languages")
    for name in spec.languages:
        if name not in known:
            reason = _UNAVAILABLE.get(name, f"known are {', '.join(known)}")
            raise MalformedSolution("spec.languages", f"{name!r}: {reason}")
    chosen = set(spec.languages)
    if spec.binding and (spec.binding != "torch" or chosen != {_TORCH_BINDING}):
        reason = f"{spec.binding!r}: 'torch' is known, for language {_TORCH_BINDING!r}"
        raise MalformedSolution("spec.binding", reason)
    if not chosen:
        return _guess(Path(sources[0].path), sources[0].content)
    # Triton solutions list pytorch beside it: they call both.
    if chosen == {"pytorch", "triton"}:
        return "triton"
    if len(chosen) > 1:
        raise MalformedSolution("spec.languages", f"{sorted(chosen)} cannot be mixed")
    return chosen.pop()


def _options(options: _Options | None, language: str) -> tuple[str, ...]:
    if options is None:
        return ()
    # Upstream reads none of them for a Python solution.
    device = options.cuda_cflags
    if "cuda_cflags" not in options.model_fields_set:
        device = _CUDA_FLAGS_LEFT_OUT
    taken = {
        "cuda": options.cuda_cflags,
        "cpp": (*options.cflags, *options.ld_flags),
        _TORCH_BINDING: (*options.cflags, *device, *options.ld_flags),
    }
    return taken.get(language, ())


def _guess(path: Path, content: str) -> str:
    known = plugins.load("languages")
    fitting = [name for name, plugin in known.items() if path.name.endswith(plugin.suffix)]
    if not fitting:
        ends = ", ".join(f"{plugin.suffix} ({name})" for name, plugin in known.items())
        reason = f"{path.name!r} does not tell it; known endings: {ends}"
        raise MalformedSolution("language", reason)
    if _TORCH_BINDING in known and "PYBIND11_MODULE" in content and path.suffix != _PYTHON:
        return _TORCH_BINDING
    # `kernel.py` may be any Python language: the one that it imports is meant.
    for name in _imports(content) if path.suffix == _PYTHON else ():
        if name in known and known[name].suffix.endswith(_PYTHON):
            return name
    return max(fitting, key=lambda name: len(known[name].suffix))


def _imports(content: str) -> Iterator[str]:
    tree = _python(content)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def _python(content: str) -> ast.Module | None:
    try:
        return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # the language's compile step reports it, as an evaluation


def _returns(path: Path, content: str, definition: Definition) -> bool:
    tree = _python(content) if path.suffix == _PYTHON else None
    found = parameters(tree, "run") if tree else None
    if tree is None or found is None:
        return False
    if definition.constant_inputs and parameters(tree, PREPARE) is not None:
        # How many tensors stand for the constant inputs is the solution's own affair.
        return found[-len(definition.outputs) :] != list(definition.outputs)
    return len(found) == len(definition.inputs)


def _plan_beside(path: Path) -> LaunchPlan | None:
    plan = path.with_name(path.stem + LAUNCH_SUFFIX)
    if not plan.is_file():
        return None
    try:
        return LaunchPlan.model_validate(read_object(plan))
    except Unreadable as error:
        where = f"{plan.name}:{error.line}" if error.line else plan.name
        raise MalformedSolution("launch_plan", f"{where}: {error.reason}") from error
    except ValidationError as error:
        raise _malformed(error, "launch_plan") from error
