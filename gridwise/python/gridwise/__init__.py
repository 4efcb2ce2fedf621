"""Gridwise's convolutions in Python, on top of the C API (gridwise/c/gridwise.h). Needs no package.

    import gridwise
    gridwise.use_device("gfx942")
    problem = gridwise.Problem("fwd", "f16", batch=2, c=64, k=64, size=(16, 16), filter=(3, 3), pad=1)
    y = problem(x, w)                                  # NumPy arrays
    with problem.plans(5)[0].load() as conv:           # device tensors, e.g. PyTorch's
        conv(x, w, y, workspace, stream=torch.cuda.current_stream())

A device tensor is a Buffer, an address, or any object in device memory that has __cuda_array_interface__ or __dlpack__
(PyTorch, CuPy, JAX). It must be packed, in the problem's layout. Functions raise Error if the library reports an error, and
ValueError or TypeError if an argument has a wrong value or type.

The environment variable GRIDWISE_LIBRARY names the library's file. By default it is libgridwise.so next to this file or in
../../c. `gridwise.torch` is for PyTorch models.
"""

import contextlib
import ctypes
import os

DIRECTIONS = ("fwd", "bwd_data", "bwd_weight")
TYPES = ("f16", "bf16", "f32", "i8", "f8e4m3fn", "f8e4m3fnuz", "i32", "f8e5m2", "f8e5m2fnuz")
TYPE_BYTES = dict(zip(TYPES, (2, 2, 4, 1, 1, 1, 4, 1, 1)))
UNARY = ("none", "abs", "leaky_relu", "elu", "sigmoid", "tanh", "swish", "softplus", "gelu")
NUMPY_TYPES = {"f16": "<f2", "f32": "<f4", "i8": "|i1", "i32": "<i4"}  # NumPy has no others
LAYOUTS = ("nhwgc", "gnhwc", "ngchw")
WEIGHT_LAYOUTS = ("gkyxc", "kyxgc")
CLOCKS = ("device", "simulated", "host")
FALLBACK = "simt"  # in the names of Hopper's instances for any problem
REFUSALS = ("other", "type", "direction", "layout", "channels", "groups", "filter", "size")


class Error(Exception):
    """An error of the library. The message is a sentence; `status` is a gridwise_status of gridwise.h."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class _Dim(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("in_", "filter", "stride", "dilation", "pad_begin", "pad_end")]


class _EpilogueTensor(ctypes.Structure):
    _fields_ = [
        ("op", ctypes.c_int32),
        ("type", ctypes.c_int32),
        ("scale", ctypes.c_double),
        ("stride", ctypes.c_int64 * 6),
    ]


class _Problem(ctypes.Structure):
    _fields_ = (
        [("struct_size", ctypes.c_size_t)]
        + [(name, ctypes.c_int32) for name in ("direction", "type", "out_type", "rank")]
        + [(name, ctypes.c_int64) for name in ("groups", "batch", "c", "k")]
        + [("dims", _Dim * 3), ("layout", ctypes.c_int32), ("weight_layout", ctypes.c_int32)]
        + [(name, ctypes.c_int64 * 6) for name in ("x_stride", "w_stride", "y_stride")]
        + [(name, ctypes.c_double) for name in ("alpha", "low", "high")]
        + [("tensors", ctypes.c_int32), ("d", _EpilogueTensor * 2)]
        + [(name, ctypes.c_int32) for name in ("unary", "adds_a1", "adds_b1")]
        + [(name, ctypes.c_double) for name in ("unary_parameter", "scale_a", "scale_b")]
    )


class _Explanation(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("family", ctypes.c_char_p),
        ("instance", ctypes.c_char_p),
        ("reason", ctypes.c_char_p),
        ("refusal", ctypes.c_int32),
        ("estimated_ms", ctypes.c_double),
    ]


class _Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("family", ctypes.c_char_p),
        ("instance", ctypes.c_char_p),
        ("op", ctypes.c_char_p),
        ("splits", ctypes.c_int32),
        ("atomic", ctypes.c_int32),
        ("estimates_alone", ctypes.c_int32),
        ("workspace_limit", ctypes.c_int64),
    ]


class Tensors(ctypes.Structure):
    """Device addresses: gridwise_tensors of gridwise.h."""

    _fields_ = [("struct_size", ctypes.c_size_t)] + [
        (name, ctypes.c_void_p) for name in ("a", "b", "out", "d0", "d1", "a1", "b1")
    ]

    def __init__(self, *addresses, **named):
        super().__init__(ctypes.sizeof(Tensors), *addresses, **named)


def _open_library():
    here = os.path.dirname(os.path.abspath(__file__))
    paths = [os.path.join(here, "libgridwise.so"), os.path.join(here, "..", "..", "c", "libgridwise.so")]
    path = os.environ.get("GRIDWISE_LIBRARY") or next(filter(os.path.exists, paths), "libgridwise.so")
    lib = ctypes.CDLL(path)
    text, number, real, address = ctypes.c_char_p, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
    for name, result in {
        "message": text,
        "version": text,
        "plan_family": text,
        "plan_instance": text,
        "plan_line": text,
        "plan_description": text,
        "plan_workspace_bytes": number,
        "plan_estimated_ms": real,
        "cache_skipped": text,
    }.items():
        getattr(lib, "gridwise_" + name).restype = result
    for name in ("family", "instance", "line", "description", "workspace_bytes", "estimated_ms"):
        getattr(lib, "gridwise_plan_" + name).argtypes = [address]
    for name in ("free", "free_plan", "free_executable", "free_explanations", "close_cache"):
        function = getattr(lib, "gridwise_" + name)
        function.argtypes, function.restype = [address], None
    lib.gridwise_explanation_count.argtypes = [address]
    lib.gridwise_explanation_at.argtypes = [address, ctypes.c_int, ctypes.POINTER(_Explanation)]
    lib.gridwise_cache_skipped.argtypes = [address, ctypes.c_int]
    lib.gridwise_launch.argtypes = [address, ctypes.POINTER(Tensors), address, number, address]
    return lib


_lib = _open_library()


def _check(status):
    if status != 0:
        raise Error(status, _lib.gridwise_message().decode())


def _bytes(text):
    return None if text is None else str(text).encode()


def version():
    """Returns the library's version, e.g. "0.2.0"."""
    return _lib.gridwise_version().decode()


def use_device(target):
    """Makes the first device of the target, e.g. "gfx942", this thread's current one."""
    _check(_lib.gridwise_use_device(_bytes(target)))


def synchronize():
    """Waits for all work of the current device."""
    _check(_lib.gridwise_synchronize())


class Buffer:
    """Memory of the current device, freed with the object."""

    def __init__(self, bytes_):
        self.bytes, self._address = bytes_, ctypes.c_void_p()
        _check(_lib.gridwise_allocate(ctypes.c_int64(bytes_), ctypes.byref(self._address)))

    @classmethod
    def of(cls, data):
        """Returns a copy of an object with the buffer protocol: bytes, array.array, a NumPy array."""
        data = memoryview(data).tobytes()
        buffer = cls(len(data))
        _check(_lib.gridwise_copy_to_device(buffer._address, data, ctypes.c_int64(len(data))))
        return buffer

    @property
    def address(self):
        return self._address.value or 0

    def tobytes(self):
        data = ctypes.create_string_buffer(self.bytes)
        _check(_lib.gridwise_copy_to_host(data, self._address, ctypes.c_int64(self.bytes)))
        return data.raw

    def __del__(self):
        if getattr(self, "_address", None):
            _lib.gridwise_free(self._address)


class _DLTensor(ctypes.Structure):
    """DLPack's DLTensor, the first member of a capsule "dltensor"."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_DL_DEVICES = {2: "CUDA", 10: "ROCm"}


def _product(sizes):
    product = 1
    for size in sizes:
        product *= size
    return product


def _is_packed(shape, strides):
    """Returns whether strides, in elements, are those of a packed row-major tensor."""
    expected = 1
    for size, stride in reversed(list(zip(shape, strides))):
        if size > 1 and stride != expected:
            return False
        expected *= size
    return True


def _from_dlpack(tensor):
    try:
        capsule = tensor.__dlpack__(stream=-1)  # the caller orders the work by the stream of the launch
    except TypeError:
        capsule = tensor.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    raw = _DLTensor.from_address(get(capsule, b"dltensor"))
    if raw.device_type not in _DL_DEVICES:
        raise ValueError(f"a tensor is on DLPack's device {raw.device_type}; must be on a GPU: {_DL_DEVICES}")
    shape = raw.shape[: raw.ndim]
    if raw.strides and not _is_packed(shape, raw.strides[: raw.ndim]):
        raise ValueError(f"a tensor has strides {raw.strides[:raw.ndim]} for shape {shape}; must be packed")
    return (raw.data or 0) + raw.byte_offset, _product(shape) * raw.bits * raw.lanes // 8


def _from_interface(interface):
    shape, size = interface["shape"], int(interface["typestr"][2:])
    strides = interface.get("strides")
    if strides and not _is_packed(shape, [stride // size for stride in strides]):
        raise ValueError(f"a tensor has strides {strides} for shape {shape}; must be packed")
    return interface["data"][0], _product(shape) * size


def _place_of(tensor, name):
    """Returns the device address and the bytes of a tensor (see the module's docstring). The bytes of an address are None."""
    if isinstance(tensor, int):
        return tensor, None
    if isinstance(tensor, Buffer):
        return tensor.address, tensor.bytes
    if hasattr(tensor, "__cuda_array_interface__"):
        return _from_interface(tensor.__cuda_array_interface__)
    if hasattr(tensor, "__dlpack__"):
        return _from_dlpack(tensor)
    raise TypeError(f"{name} is a {type(tensor).__name__}; must be a device tensor, a Buffer or an address")


def address_of(tensor, bytes_, name):
    """Returns the device address of a tensor. Raises ValueError if it does not have `bytes_` bytes."""
    if tensor is None:
        return None
    address, size = _place_of(tensor, name)
    if bytes_ is not None and size is not None and size != bytes_:
        raise ValueError(f"{name} has {size} bytes; must have {bytes_}")
    return address


def _stream(stream):
    """Returns the handle of a stream: of PyTorch, of CuPy, a number, or None for the default stream."""
    for attribute in ("cuda_stream", "ptr"):
        stream = getattr(stream, attribute, stream)
    return ctypes.c_void_p(stream)


def _index(names, value, field):
    """Returns the number of an enumerator. Raises ValueError if there is none of that name."""
    if value not in names:
        raise ValueError(f"{field} is {value!r}; must be one of {', '.join(names)}")
    return names.index(value)


def _three(argument, values, rank, default):
    """Returns the values of d, h, w, from one value per axis or one value for all axes."""
    values = (values,) * rank if isinstance(values, int) else tuple(values)
    if len(values) != rank:
        raise ValueError(f"{argument} is {values}; must be one number, or one of each of size's {rank} axes")
    return (default,) * (3 - rank) + values


def _explained(explanations, index):
    explanation = _Explanation(struct_size=ctypes.sizeof(_Explanation))
    _check(_lib.gridwise_explanation_at(explanations, index, ctypes.byref(explanation)))
    said = {"family": explanation.family.decode(), "instance": explanation.instance.decode()}
    if explanation.reason is None:
        return {**said, "estimated_ms": explanation.estimated_ms}
    return {**said, "reason": explanation.reason.decode(), "refusal": REFUSALS[explanation.refusal]}


class Problem:
    """A grouped convolution in one direction.

    Args:
      direction: one of DIRECTIONS.
      type: the operands' type, one of TYPES.
      batch: images.
      c, k: input and output channels of all groups together.
      size: input pixels of 1 to 3 axes, outermost first.
      filter, stride, dilation, pad, pad_end: one number per axis, or one number for all. `pad_end` defaults to `pad`.
      out_type: the output's type. It defaults to that of the operands; for 8-bit operands, to that of their sums.
      layout, weight_layout: one of LAYOUTS, of WEIGHT_LAYOUTS.
      strides: strides in elements, instead of the layouts. A dict of "x" and "y" (n, d, h, w, g, c of a group) and "w" (g, k of
        a group, z, y, x, c of a group). They must match a layout.
      alpha, low, high: out = clamp(unary(d1 op (d0 op (alpha * conv))), low, high).
      epilogue: up to two (op, type, scale, strides). `op` is "add" or "mul"; `strides` are for the output's six axes.
      unary: one of UNARY, or (name, parameter).
      scale_a, scale_b: if given, forward uses scale_a * a + a1 instead of a, or scale_b * b + b1 instead of b.

    Raises Error if the problem is invalid.
    """

    def __init__(
        self,
        direction,
        type,
        *,
        batch=1,
        c,
        k,
        size,
        filter=1,
        stride=1,
        dilation=1,
        pad=0,
        pad_end=None,
        groups=1,
        out_type=None,
        layout="nhwgc",
        weight_layout="gkyxc",
        strides=None,
        alpha=1.0,
        low=None,
        high=None,
        epilogue=(),
        unary="none",
        scale_a=None,
        scale_b=None,
    ):
        raw = _Problem()
        _lib.gridwise_conv_problem_defaults(ctypes.byref(raw), ctypes.c_size_t(ctypes.sizeof(raw)))
        raw.direction, raw.type = _index(DIRECTIONS, direction, "direction"), _index(TYPES, type, "type")
        raw.out_type = -1 if out_type is None else _index(TYPES, out_type, "out_type")
        raw.rank, raw.groups, raw.batch, raw.c, raw.k = len(size), groups, batch, c, k
        fields = (
            ("in_", "size", size, 1),
            ("filter", "filter", filter, 1),
            ("stride", "stride", stride, 1),
            ("dilation", "dilation", dilation, 1),
            ("pad_begin", "pad", pad, 0),
            ("pad_end", "pad_end", pad if pad_end is None else pad_end, 0),
        )
        for field, argument, values, default in fields:
            for dim, value in zip(raw.dims, _three(argument, values, len(size), default)):
                setattr(dim, field, value)
        raw.layout = _index(LAYOUTS, layout, "layout")
        raw.weight_layout = _index(WEIGHT_LAYOUTS, weight_layout, "weight_layout")
        for name, values in (strides or {}).items():
            getattr(raw, name + "_stride")[:] = values
        raw.alpha = alpha
        raw.low = raw.low if low is None else low
        raw.high = raw.high if high is None else high
        raw.tensors = len(epilogue)
        for tensor, (op, kind, scale, strides) in zip(raw.d, epilogue):
            tensor.op, tensor.type = _index(("add", "mul"), op, "op"), _index(TYPES, kind, "type")
            tensor.scale = scale
            tensor.stride[:] = strides
        name, raw.unary_parameter = (unary, 1.0) if isinstance(unary, str) else unary
        raw.unary = _index(UNARY, name, "unary")
        raw.adds_a1, raw.scale_a = scale_a is not None, 1.0 if scale_a is None else scale_a
        raw.adds_b1, raw.scale_b = scale_b is not None, 1.0 if scale_b is None else scale_b
        self.raw, self.type = raw, type
        a, b, out, kind = (ctypes.c_int64(), ctypes.c_int64(), ctypes.c_int64(), ctypes.c_int32())
        _check(_lib.gridwise_conv_problem_elements(ctypes.byref(raw), *map(ctypes.byref, (a, b, out, kind))))
        self.a_elements, self.b_elements, self.out_elements = a.value, b.value, out.value
        self.out_type = TYPES[kind.value]

    def bytes_of(self, name):
        """Returns the bytes of "a", "b", "a1", "b1" or "out". Returns None for epilogue tensors: they depend on the strides."""
        size = TYPE_BYTES[self.out_type if name == "out" else self.type]
        name = name.removesuffix("1")
        return getattr(self, name + "_elements") * size if name in ("a", "b", "out") else None

    def tensors(self, a, b, out, d0=None, d1=None, a1=None, b1=None):
        values = {"a": a, "b": b, "out": out, "d0": d0, "d1": d1, "a1": a1, "b1": b1}
        return Tensors(*(address_of(value, self.bytes_of(name), name) for name, value in values.items()))

    def plans(self, n=1, target=None, **options):
        """Returns up to n plans, fastest predicted first. `target` defaults to the current device. Options: family, instance,
        op, splits, atomic, model (False: rank by estimates alone) and workspace_limit (bytes)."""
        raw, count = (ctypes.c_void_p * n)(), ctypes.c_int()
        _check(
            _lib.gridwise_rank_plans(
                ctypes.byref(self.raw), _bytes(target), _options(options), n, raw, ctypes.byref(count)
            )
        )
        return [Plan(self, raw[i]) for i in range(count.value)]

    def explain(self, target=None, **options):
        """Returns a dict per kernel: first the kernels that compute the problem, in the order of plans(). Each has "family" and
        "instance". If the kernel computes the problem, it has "estimated_ms"; otherwise "reason" and "refusal", one of
        REFUSALS."""
        explanations = ctypes.c_void_p()
        _check(
            _lib.gridwise_explain(ctypes.byref(self.raw), _bytes(target), _options(options), ctypes.byref(explanations))
        )
        try:
            return [_explained(explanations, i) for i in range(_lib.gridwise_explanation_count(explanations))]
        finally:
            _lib.gridwise_free_explanations(explanations)

    def tune(self, a, b, out, d0=None, d1=None, a1=None, b1=None, *, n=5, time_limit_s=5.0, stream=None, **options):
        """Measures the first n plans on the current device, for at most about `time_limit_s` seconds. Overwrites `out`. Returns
        ([(milliseconds, plan)], clock), fastest first. `clock` says what the times measure: one of CLOCKS."""
        tensors = self.tensors(a, b, out, d0, d1, a1, b1)
        raw, times = (ctypes.c_void_p * n)(), (ctypes.c_double * n)()
        count, clock = ctypes.c_int(), ctypes.c_int()
        _check(
            _lib.gridwise_tune(
                ctypes.byref(self.raw),
                _options(options),
                ctypes.byref(tensors),
                _stream(stream),
                ctypes.c_double(time_limit_s),
                n,
                raw,
                times,
                ctypes.byref(count),
                ctypes.byref(clock),
            )
        )
        return [(times[i], Plan(self, raw[i])) for i in range(count.value)], CLOCKS[clock.value]

    def __call__(self, a, b, d0=None, d1=None, a1=None, b1=None):
        """Computes the output on the current device. Takes NumPy arrays of any shape and returns a flat NumPy array."""
        import numpy

        def upload(array, kind):
            if kind not in NUMPY_TYPES:
                raise TypeError(f"NumPy has no {kind}")
            return Buffer.of(numpy.ascontiguousarray(array, dtype=NUMPY_TYPES[kind]))

        buffers = [upload(a, self.type), upload(b, self.type)]
        kinds = [TYPES[tensor.type] for tensor in self.raw.d]
        d = [None if tensor is None else upload(tensor, kind) for tensor, kind in zip((d0, d1), kinds)]
        added = [None if tensor is None else upload(tensor, self.type) for tensor in (a1, b1)]
        out = Buffer(self.bytes_of("out"))
        with self.plans()[0].load() as conv:
            workspace = Buffer(conv.plan.workspace_bytes)
            conv(*buffers, out, workspace, *d, *added)
            synchronize()
        return numpy.frombuffer(out.tobytes(), NUMPY_TYPES[self.out_type])


def _options(options):
    raw = _Options()
    _lib.gridwise_plan_options_defaults(ctypes.byref(raw), ctypes.c_size_t(ctypes.sizeof(raw)))
    raw.family, raw.instance, raw.op = (_bytes(options.pop(name, None)) for name in ("family", "instance", "op"))
    raw.splits, raw.atomic = options.pop("splits", 0), options.pop("atomic", False)
    raw.estimates_alone = not options.pop("model", True)
    limit = options.pop("workspace_limit", None)
    raw.workspace_limit = -1 if limit is None else limit
    if options:
        known = "family, instance, op, splits, atomic, model and workspace_limit"
        raise TypeError(f"options are {known}, not {', '.join(options)}")
    return ctypes.byref(raw)


class Plan:
    """How a problem is computed. `parse_plan` makes the same plan from the text `line`."""

    def __init__(self, problem, handle):
        self.problem, self.handle = problem, ctypes.c_void_p(handle)
        for name in ("family", "instance", "line", "description"):
            setattr(self, name, getattr(_lib, "gridwise_plan_" + name)(self.handle).decode())
        self.workspace_bytes = _lib.gridwise_plan_workspace_bytes(self.handle)
        self.estimated_ms = _lib.gridwise_plan_estimated_ms(self.handle)

    @property
    def is_fallback(self):
        """Whether the plan is Hopper's for any problem, without tensor cores: slow, and there when no other instance is."""
        return FALLBACK in self.instance

    def __repr__(self):
        return f"<gridwise.Plan {self.instance} ({self.family}), {1e3 * self.estimated_ms:.1f} us, workspace {self.workspace_bytes}>"

    def __str__(self):
        return self.description

    def load(self):
        """Returns an Executable on the current device."""
        return Executable(self)

    def __del__(self):
        if getattr(self, "handle", None):
            _lib.gridwise_free_plan(self.handle)


def parse_plan(problem, line):
    """Returns the plan that `line` describes. Requires that it is a plan of `problem`."""
    handle = ctypes.c_void_p()
    _check(_lib.gridwise_parse_plan(_bytes(line), ctypes.byref(handle)))
    return Plan(problem, handle.value)


class Executable(contextlib.AbstractContextManager):
    """A plan whose kernels are loaded. Its work must be done before the end of `with`."""

    def __init__(self, plan):
        self.plan, self.handle = plan, ctypes.c_void_p()
        _check(_lib.gridwise_load(plan.handle, ctypes.byref(self.handle)))

    def __call__(self, a, b, out, workspace=None, d0=None, d1=None, a1=None, b1=None, *, stream=None):
        """Starts the convolution on the stream and returns. `workspace` has at least plan.workspace_bytes bytes."""
        tensors = self.plan.problem.tensors(a, b, out, d0, d1, a1, b1)
        place, bytes_ = (None, 0) if workspace is None else _place_of(workspace, "workspace")
        self.launch(tensors, place, self.plan.workspace_bytes if bytes_ is None else bytes_, _stream(stream))

    def launch(self, tensors, workspace, workspace_bytes, stream):
        """The same with addresses, of which nothing is known: `tensors` is what Problem.tensors gives."""
        _check(_lib.gridwise_launch(self.handle, tensors, workspace, workspace_bytes, stream))

    def __exit__(self, *_):
        _lib.gridwise_free_executable(self.handle)
        self.handle = ctypes.c_void_p()

    def __del__(self):
        if getattr(self, "handle", None):
            self.__exit__()


class Cache:
    """A file of plans, which any number of processes may read and extend."""

    def __init__(self, path):
        self.handle = ctypes.c_void_p()
        _check(_lib.gridwise_open_cache(_bytes(path), ctypes.byref(self.handle)))

    @property
    def skipped(self):
        """The reasons why lines of the file could not be used."""
        lines = []
        while (line := _lib.gridwise_cache_skipped(self.handle, len(lines))) is not None:
            lines.append(line.decode())
        return lines

    def find(self, problem, target=None):
        """Returns the plan of the problem that was stored last, or None."""
        handle = ctypes.c_void_p()
        status = _lib.gridwise_cache_find(
            self.handle, ctypes.byref(problem.raw), _bytes(target), ctypes.byref(handle)
        )
        if status == 5:  # GRIDWISE_NOT_FOUND
            return None
        _check(status)
        return Plan(problem, handle.value)

    def store(self, plan):
        _check(_lib.gridwise_cache_store(self.handle, plan.handle))

    def __del__(self):
        if getattr(self, "handle", None):
            _lib.gridwise_close_cache(self.handle)
