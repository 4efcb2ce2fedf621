# SPDX-License-Identifier: MIT
"""Device memory: buffers, and the addresses of other libraries' tensors."""

from __future__ import annotations

import ctypes
from typing import Any, Iterable, Mapping, Optional, Sequence, Tuple, Union

from gridwise._library import Tensors, check, encoded, lib

# A Buffer, an address, or an object with __cuda_array_interface__ or __dlpack__.
DeviceTensor = Any


def version() -> str:
    """Returns the library's version, e.g. "0.2.0"."""
    return lib.gridwise_version().decode()


def use_device(target: str) -> None:
    """Makes the first device of the target, e.g. "gfx942", this thread's current one.

    Raises:
      NotFoundError: no device is of the target.
      UnavailableError: there is no device or driver.
    """
    check(lib.gridwise_use_device(encoded(target)))


def synchronize() -> None:
    """Waits for all work of the current device.

    Raises:
      GridwiseError: the HIP library's error, which may be of earlier work.
    """
    check(lib.gridwise_synchronize())


class Buffer:
    """Memory of the current device. It is freed with the object, so keep the object until the work that uses it is done.

    Args:
      bytes_: its size.

    Raises:
      ResourceExhaustedError: the device has too little memory.
      InvalidArgumentError: the size is negative.
    """

    bytes: int

    def __init__(self, bytes_: int) -> None:
        self.bytes, self._address = bytes_, ctypes.c_void_p()
        check(lib.gridwise_allocate(ctypes.c_int64(bytes_), ctypes.byref(self._address)))

    @classmethod
    def of(cls, data: Any) -> Buffer:
        """Returns a copy of an object with the buffer protocol: bytes, array.array, a NumPy array. Raises what Buffer() does."""
        copied = memoryview(data).tobytes()
        buffer = cls(len(copied))
        check(lib.gridwise_copy_to_device(buffer._address, copied, ctypes.c_int64(len(copied))))
        return buffer

    @property
    def address(self) -> int:
        """The device address; 0 if there are no bytes."""
        return self._address.value or 0

    def tobytes(self) -> bytes:
        """Returns a copy of the content, after all work of the default stream.

        Raises:
          GridwiseError: the HIP library's error.
        """
        data = ctypes.create_string_buffer(self.bytes)
        check(lib.gridwise_copy_to_host(data, self._address, ctypes.c_int64(self.bytes)))
        return data.raw

    def __repr__(self) -> str:
        return f"<gridwise.Buffer of {self.bytes} bytes at {self.address:#x}>"

    def __del__(self) -> None:
        if getattr(self, "_address", None):
            lib.gridwise_free(self._address)


class DLTensor(ctypes.Structure):
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


def _product(sizes: Iterable[int]) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product


def _is_packed(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Returns whether strides, in elements, are those of a packed row-major tensor."""
    expected = 1
    for size, stride in reversed(list(zip(shape, strides))):
        if size > 1 and stride != expected:
            return False
        expected *= size
    return True


def _from_dlpack(tensor: Any) -> Tuple[int, int]:
    try:
        capsule = tensor.__dlpack__(stream=-1)  # the caller orders the work by the stream of the launch
    except TypeError:
        capsule = tensor.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    raw = DLTensor.from_address(get(capsule, b"dltensor"))
    if raw.device_type not in _DL_DEVICES:
        raise ValueError(f"a tensor is on DLPack's device {raw.device_type}; must be on a GPU: {_DL_DEVICES}")
    shape = raw.shape[: raw.ndim]
    if raw.strides and not _is_packed(shape, raw.strides[: raw.ndim]):
        raise ValueError(f"a tensor has strides {raw.strides[: raw.ndim]} for shape {shape}; must be packed")
    return (raw.data or 0) + raw.byte_offset, _product(shape) * raw.bits * raw.lanes // 8


def _from_interface(interface: Mapping[str, Any]) -> Tuple[int, int]:
    shape, size = interface["shape"], int(interface["typestr"][2:])
    strides = interface.get("strides")
    if strides and not _is_packed(shape, [stride // size for stride in strides]):
        raise ValueError(f"a tensor has strides {strides} for shape {shape}; must be packed")
    return interface["data"][0], _product(shape) * size


def place_of(tensor: DeviceTensor, name: str) -> Tuple[int, Optional[int]]:
    """Returns the device address and the bytes of a tensor. The bytes of an address are None."""
    if isinstance(tensor, int):
        return tensor, None
    if isinstance(tensor, Buffer):
        return tensor.address, tensor.bytes
    if hasattr(tensor, "__cuda_array_interface__"):
        return _from_interface(tensor.__cuda_array_interface__)
    if hasattr(tensor, "__dlpack__"):
        return _from_dlpack(tensor)
    raise TypeError(f"{name} is a {type(tensor).__name__}; must be a device tensor, a Buffer or an address")


def address_of(tensor: DeviceTensor, bytes_: Optional[int], name: str) -> Optional[int]:
    """Returns the device address of a tensor; None of None.

    Args:
      tensor: a device tensor (see the package's docstring).
      bytes_: the size that it must have; None: any.
      name: its name in messages.

    Raises:
      ValueError: it has another size, is not packed, or is not on a GPU.
      TypeError: it is no device tensor.
    """
    if tensor is None:
        return None
    address, size = place_of(tensor, name)
    if bytes_ is not None and size is not None and size != bytes_:
        raise ValueError(f"{name} has {size} bytes; must have {bytes_}")
    return address


def tensors_of(sizes: Mapping[str, Optional[int]], **values: DeviceTensor) -> Tensors:
    """Returns the addresses of tensors, whose bytes must be `sizes` where these are known."""
    return Tensors(**{name: address_of(value, sizes.get(name), name) for name, value in values.items()})


def stream_handle(stream: Any) -> Union[ctypes.c_void_p, int]:
    """Returns the handle of a stream: of PyTorch, of CuPy, a number, or None for the default stream."""
    for attribute in ("cuda_stream", "ptr"):
        stream = getattr(stream, attribute, stream)
    return ctypes.c_void_p(stream)
