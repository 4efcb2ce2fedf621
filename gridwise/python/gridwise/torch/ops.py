# SPDX-License-Identifier: MIT
"""torch.ops.gridwise: a convolution and its two gradients, each of which is linear in its tensors. So the gradients of one
are the others, to any order."""

import functools

import torch

from gridwise.torch import eager
from gridwise.torch.choices import decider
from gridwise.torch.convolution import ATEN, DATA, FORWARD, WEIGHT, Arguments, Question, aten, following, may_round_to_tf32
from gridwise.torch.tensors import aligned, as_made, dense, empty, strides_are_channels_last

# Compiled code calls the ops with the strides that it was traced with: those of outputs follow from them.
TAGS = (torch.Tag.needs_exact_strides,) if hasattr(torch.Tag, "needs_exact_strides") else ()
ARGUMENTS = "int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups"

library = torch.library.Library("gridwise", "DEF")
library.define(f"convolution(Tensor x, Tensor w, Tensor? bias, {ARGUMENTS}) -> Tensor", tags=TAGS)
library.define(f"data_gradient(Tensor dy, Tensor w, SymInt[] x_shape, bool channels_last, {ARGUMENTS}) -> Tensor", tags=TAGS)
library.define(
    f"weight_gradient(Tensor dy, Tensor x, SymInt[] w_shape, bool channels_last, bool w_channels_last, {ARGUMENTS}) -> Tensor",
    tags=TAGS,
)
library.define(f"convolution_backward(Tensor dy, Tensor x, Tensor w, {ARGUMENTS}, bool[3] mask) -> (Tensor, Tensor, Tensor)")
convolution = torch.ops.gridwise.convolution.default
data_gradient = torch.ops.gridwise.data_gradient.default
weight_gradient = torch.ops.gridwise.weight_gradient.default


def is_channels_last(x, w):
    """Whether an output has channels last: if x or w has, as with cuDNN in PyTorch."""
    return strides_are_channels_last(x) or strides_are_channels_last(w)


# ---- On a device


def _compute(choice, tensors):
    """Computes a question from x, w and bias, from dy and w, or from dy and x, in the memory order of the question."""
    question = choice.question
    last = question.result_channels_last
    if choice.executable is None:
        return as_made(aten(question, tensors, choice.is_measured), last)
    a, b = reversed(tensors[:2]) if question.swaps else tensors[:2]
    a = aligned(dense(a, question.a_channels_last))
    b = aligned(dense(b, question.b_channels_last))
    out = empty(choice.out_shape, question.out_channels_last, a)
    epilogue = [aligned(tensors[2].contiguous())] if question.bias and not choice.apart else []
    if question.residual and not choice.apart:
        epilogue.append(aligned(dense(tensors[3], question.channels_last)))
    with choice.device.entered():
        choice.device.launch(choice.executable, a, b, out, *epilogue)
    out = out if question.out_channels_last == last else as_made(out, last)
    return following(question, out, tensors, choice.is_measured) if choice.apart else out


epoch = object()  # another one after each `forget`
_known = {}  # choices, by what they are looked up with at each call


def _run(key, ask, tensors):
    if tensors[0].dtype == torch.float32:
        key = (*key, may_round_to_tf32(tensors[0]))
    choice = _known.get(key)
    if choice is None:
        question = ask()
        # Decides for aligned tensors, which need no copy: others are rare, and have the same key.
        measured = functools.cache(lambda: tuple(None if t is None else aligned(t) for t in tensors))
        choice = decider.choose(question, lambda choice: _compute(choice, measured()))
        if question in decider.choices:
            _known[key] = choice
    if key in _known:
        eager.remember(int(key[0] == WEIGHT), choice, tensors)
    choice.count()
    decider.last = choice
    return _compute(choice, tensors)


def forget():
    """Drops all decisions of this process: the next calls decide again."""
    global epoch
    epoch = object()
    _known.clear()
    eager.forget()
    decider.choices.clear()
    decider.norms.clear()


def _of(tensor):
    return tensor.shape, tensor.stride(), tensor.dtype, tensor.device


def _asked(wanted, x_shape, w_shape, arguments, tensors, channels_last, w_channels_last):
    first = tensors[0]
    tf32 = may_round_to_tf32(first)
    index = first.device.index if first.device.type == "cuda" else None
    x_shape, w_shape = tuple(map(int, x_shape)), tuple(map(int, w_shape))
    alike = all(tensor is None or (tensor.dtype, tensor.device) == (first.dtype, first.device) for tensor in tensors)
    fits = alike and arguments.fit(x_shape, w_shape)
    if fits and wanted != FORWARD:
        fits = first.shape == arguments.y_shape(x_shape, w_shape)
    bias = wanted == FORWARD and tensors[2] is not None
    if fits and bias:
        fits = tensors[2].shape == arguments.y_shape(x_shape, w_shape)[1:2]
    dtype = first.dtype if fits else None
    return Question(wanted, x_shape, w_shape, arguments, dtype, tf32, channels_last, w_channels_last, bias, index)


def _convolution(x, w, bias, *arguments):
    arguments = Arguments.of(*arguments)

    def ask():
        tensors, last = (x, w, bias), is_channels_last(x, w)
        return _asked(FORWARD, x.shape, w.shape, arguments, tensors, last, strides_are_channels_last(w))

    of_bias = None if bias is None else _of(bias)
    return _run((FORWARD, _of(x), _of(w), of_bias, arguments), ask, (x, w, bias))


def _data_gradient(dy, w, x_shape, channels_last, *arguments):
    arguments = Arguments.of(*arguments)

    def ask():
        last = strides_are_channels_last(w)
        return _asked(DATA, x_shape, w.shape, arguments, (dy, w), channels_last, last)

    return _run((DATA, _of(dy), _of(w), tuple(x_shape), channels_last, arguments), ask, (dy, w))


def _weight_gradient(dy, x, w_shape, channels_last, w_channels_last, *arguments):
    arguments = Arguments.of(*arguments)

    def ask():
        return _asked(WEIGHT, x.shape, w_shape, arguments, (dy, x), channels_last, w_channels_last)

    return _run((WEIGHT, _of(dy), _of(x), tuple(w_shape), channels_last, w_channels_last, arguments), ask, (dy, x))


def _convolution_backward(dy, x, w, *arguments):
    """Computes the gradients that `mask` asks for. Only torch_eager/eager.h calls it, below autograd."""
    *arguments, mask = arguments
    order, w_order = is_channels_last(x, w), strides_are_channels_last(w)
    dx = _data_gradient(dy, w, x.shape, order, *arguments) if mask[0] else None
    dw = _weight_gradient(dy, x, w.shape, order, w_order, *arguments) if mask[1] else None
    return dx, dw, _bias_gradient(dy) if mask[2] else None


ROWS_OF_SUM = 256  # pixels that are added first, at most; as in torch_eager/eager.cc


def _bias_gradient(dy):
    """The sum over images and pixels. With channels last, PyTorch adds up the sums of up to a thousand workgroups in one of them, which
    takes longer than everything else: there, sums of some pixels come first, then the sum of those."""
    pixels = dy.numel() // dy.shape[1]
    is_real = type(dy) is torch.Tensor and dy.dtype in (torch.float16, torch.bfloat16) and not torch.compiler.is_compiling()
    if is_real and pixels > ROWS_OF_SUM and dense(dy, True).data_ptr() == dy.data_ptr() and strides_are_channels_last(dy):
        rows = next(rows for rows in range(ROWS_OF_SUM, 0, -1) if pixels % rows == 0)
        if rows >= ROWS_OF_SUM // 8:
            sums = dy.movedim(1, -1).reshape(pixels // rows, rows, dy.shape[1]).sum(1, dtype=torch.float32)
            return sums.sum(0).to(dy.dtype)
    return dy.sum((0, *range(2, dy.dim())))


library.impl("convolution_backward", _convolution_backward, "CompositeExplicitAutograd")
def _fused(x, w, bias, residual, relu, stride, padding, dilation, groups):
    """The op that frozen.py puts in place of several nodes of a graph."""
    arguments = Arguments(tuple(stride), tuple(padding), tuple(dilation), False, (0,) * len(stride), groups)

    def ask():
        tensors, last = (x, w, bias), is_channels_last(x, w)
        question = _asked(FORWARD, x.shape, w.shape, arguments, tensors, last, strides_are_channels_last(w))
        return question._replace(residual=residual is not None, relu=relu)

    of_others = tuple(None if tensor is None else _of(tensor) for tensor in (bias, residual))
    return _run((FORWARD, _of(x), _of(w), of_others, relu, arguments), ask, (x, w, bias, residual))


library.define(
    "fused(Tensor x, Tensor w, Tensor? bias, Tensor? residual, bool relu, int[] stride, int[] padding, int[] dilation, int groups)"
    " -> Tensor",
    tags=TAGS,
)
library.impl("fused", _fused, "CompositeExplicitAutograd")


@torch.library.register_fake("gridwise::fused", lib=library)
def _(x, w, bias, residual, relu, stride, padding, dilation, groups):
    arguments = Arguments.of(stride, padding, dilation, False, (0,) * len(stride), groups)
    return empty(arguments.y_shape(x.shape, w.shape), is_channels_last(x, w), x)


DIRECT = {convolution: _convolution, data_gradient: _data_gradient, weight_gradient: _weight_gradient}
for op, function in DIRECT.items():
    library.impl(op._schema.name.split("::")[1], function, "CompositeExplicitAutograd")


# ---- Shapes alone


@torch.library.register_fake("gridwise::convolution", lib=library)
def _(x, w, bias, *arguments):
    return empty(Arguments.of(*arguments).y_shape(x.shape, w.shape), is_channels_last(x, w), x)


@torch.library.register_fake("gridwise::data_gradient", lib=library)
def _(dy, w, x_shape, channels_last, *arguments):
    return empty(x_shape, channels_last, dy)


@torch.library.register_fake("gridwise::weight_gradient", lib=library)
def _(dy, x, w_shape, channels_last, w_channels_last, *arguments):
    return empty(w_shape, w_channels_last, dy)


# ---- Autograd


def _is_plain(*tensors):
    """Whether only autograd and autocast need to see an op: there is no compiler, mode, transform, trace, profiler or subclass."""
    return (
        all(tensor is None or type(tensor) in (torch.Tensor, torch.nn.Parameter) for tensor in tensors)
        and not torch.compiler.is_compiling()
        and torch._C._len_torch_dispatch_stack() == 0
        and not torch._C._are_functorch_transforms_active()
        and torch._C._get_tracing_state() is None
        and not torch.autograd._profiler_enabled()
    )


def _below_autograd(op, keyset, *arguments):
    if keyset is None:
        return DIRECT[op](*arguments)
    with torch._C._AutoDispatchBelowAutograd():
        return op.redispatch(keyset & torch._C._after_autograd_keyset, *arguments)


def _gradient(op, *arguments):
    """Calls an op directly: PyTorch's way to an op in Python and back takes longer than the op itself."""
    if not torch.is_grad_enabled() and _is_plain(*arguments[:2]):
        return DIRECT[op](*arguments)
    return op(*arguments)


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx, keyset, x, w, bias, *arguments):
        needs = ctx.needs_input_grad
        ctx.save_for_backward(x if needs[2] else None, w if needs[1] else None)
        ctx.shapes, ctx.arguments = (x.shape, w.shape), arguments
        ctx.order, ctx.w_order = is_channels_last(x, w), strides_are_channels_last(w)
        return _below_autograd(convolution, keyset, x, w, bias, *arguments)

    @staticmethod
    def backward(ctx, dy):
        x, w = ctx.saved_tensors
        _, of_x, of_w, of_bias, *rest = ctx.needs_input_grad
        dx = _gradient(data_gradient, dy, w, ctx.shapes[0], ctx.order, *ctx.arguments) if of_x else None
        dw = _gradient(weight_gradient, dy, x, ctx.shapes[1], ctx.order, ctx.w_order, *ctx.arguments) if of_w else None
        db = _bias_gradient(dy) if of_bias else None
        return None, dx, dw, db, *[None] * len(rest)


class _DataGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, keyset, dy, w, x_shape, channels_last, *arguments):
        ctx.save_for_backward(dy, w)
        ctx.order, ctx.arguments = channels_last, arguments
        return _below_autograd(data_gradient, keyset, dy, w, x_shape, channels_last, *arguments)

    @staticmethod
    def backward(ctx, ddx):
        dy, w = ctx.saved_tensors
        _, of_dy, of_w, *rest = ctx.needs_input_grad
        ddy = convolution(ddx, w, None, *ctx.arguments) if of_dy else None
        order = strides_are_channels_last(w)
        dw = weight_gradient(dy, ddx, w.shape, ctx.order, order, *ctx.arguments) if of_w else None
        return None, ddy, dw, *[None] * len(rest)


class _WeightGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, keyset, dy, x, w_shape, channels_last, w_channels_last, *arguments):
        ctx.save_for_backward(dy, x)
        ctx.order, ctx.arguments = channels_last, arguments
        return _below_autograd(weight_gradient, keyset, dy, x, w_shape, channels_last, w_channels_last, *arguments)

    @staticmethod
    def backward(ctx, ddw):
        dy, x = ctx.saved_tensors
        _, of_dy, of_x, *rest = ctx.needs_input_grad
        ddy = convolution(x, ddw, None, *ctx.arguments) if of_dy else None
        dx = data_gradient(dy, ddw, x.shape, ctx.order, *ctx.arguments) if of_x else None
        return None, ddy, dx, *[None] * len(rest)


def _differentiable(op, function):
    def call(keyset, *arguments):
        if op is convolution and torch._C._are_functorch_transforms_active():
            return ATEN.convolution.default(*arguments)  # torch.func has rules for it
        if torch.is_grad_enabled() and any(isinstance(a, torch.Tensor) and a.requires_grad for a in arguments[:3]):
            return function.apply(keyset, *arguments)
        return _below_autograd(op, keyset, *arguments)

    return call


for op, function in ((convolution, _Convolution), (data_gradient, _DataGradient), (weight_gradient, _WeightGradient)):
    library.impl(op._schema.name.split("::")[1], _differentiable(op, function), "Autograd", with_keyset=True)


# ---- Autocast: as for aten's convolution, to the type that the user chose. Gradients have that type.


def _cast(tensor, dtype):
    is_cast = tensor is not None and tensor.is_floating_point() and tensor.dtype not in (dtype, torch.float64)
    return tensor.to(dtype) if is_cast else tensor


def _autocast(device_type, key):
    excluded = torch._C.DispatchKeySet(key)

    def call(x, w, bias, *arguments):
        dtype = torch.get_autocast_dtype(device_type)
        with torch._C._ExcludeDispatchKeyGuard(excluded):
            return convolution(_cast(x, dtype), _cast(w, dtype), _cast(bias, dtype), *arguments)

    return call


for device_type, key in (("cuda", torch._C.DispatchKey.AutocastCUDA), ("cpu", torch._C.DispatchKey.AutocastCPU)):
    library.impl("convolution", _autocast(device_type, key), key.name)


def _needs_gradients(x, w, bias):
    return torch.is_grad_enabled() and (x.requires_grad or w.requires_grad or (bias is not None and bias.requires_grad))


def _autocasted(x, w, bias):
    if torch.is_autocast_enabled(x.device.type):
        dtype = torch.get_autocast_dtype(x.device.type)
        return _cast(x, dtype), _cast(w, dtype), _cast(bias, dtype)
    return x, w, bias


def convolve(x, w, bias, *arguments):
    """Calls torch.ops.gridwise.convolution directly."""
    if not _is_plain(x, w, bias):
        return convolution(x, w, bias, *arguments)
    x, w, bias = _autocasted(x, w, bias)
    needs_gradients = _needs_gradients(x, w, bias)
    if eager.library is None:
        return _Convolution.apply(None, x, w, bias, *arguments) if needs_gradients else _convolution(x, w, bias, *arguments)
    try:
        return (eager.convolution if needs_gradients else eager.infer)(x, w, bias, *arguments)
    except RuntimeError:  # whose words PyTorch's stable ABI does not pass on
        return convolution(x, w, bias, *arguments)


def state_of(x):
    """The state, besides the layer, on which the layer's decisions depend."""
    kind = "cuda" if x.is_cuda else "cpu"
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else None
    tf32 = dtype is None and may_round_to_tf32(x)
    return epoch, tf32, x.shape, x.stride(), x.dtype, dtype, torch.is_grad_enabled(), x.requires_grad


class Route:
    """The way to the kernels for a layer in a state whose questions are all decided, without the steps of `convolve`."""

    __slots__ = ("arguments", "parameters", "dtype", "has_gradients")

    def __init__(self, state, *arguments):
        *_, self.dtype, self.has_gradients, _ = state
        self.arguments, self.parameters = arguments, eager.address_of(*arguments)

    def convolve(self, x, w, bias):
        """Computes the output; None if something else must see the op."""
        if _dispatch_modes() or _transforms_are_active() or _tracing_state() is not None:
            return None
        dtype = self.dtype
        if dtype is not None:
            x = x if x.dtype is dtype else x.to(dtype)
            w = w if w.dtype is dtype else w.to(dtype)
            bias = bias if bias is None or bias.dtype is dtype else bias.to(dtype)
        try:
            if self.has_gradients and (x.requires_grad or w.requires_grad or (bias is not None and bias.requires_grad)):
                return eager.convolution(x, w, bias, *self.arguments)
            return eager.infer_by(x, w, bias, self.parameters)
        except RuntimeError:
            return None


_dispatch_modes, _tracing_state = torch._C._len_torch_dispatch_stack, torch._C._get_tracing_state
_transforms_are_active = torch._C._are_functorch_transforms_active


def is_atens(x, w, bias, *arguments):
    """Whether aten computes a layer's output and every gradient that it needs; None until all are decided."""
    x, w, bias = _autocasted(x, w, bias)
    arguments = Arguments.of(*arguments)
    question = _asked(FORWARD, x.shape, w.shape, arguments, (x, w, bias), is_channels_last(x, w), strides_are_channels_last(w))
    wanted = [question]
    if torch.is_grad_enabled():
        needed = {DATA: x.requires_grad, WEIGHT: w.requires_grad}
        wanted += [question._replace(wanted=gradient, bias=False) for gradient, is_needed in needed.items() if is_needed]
    by = [decider.choices[question].by if question in decider.choices else None for question in wanted]
    return False if "gridwise" in by else None if None in by else True
