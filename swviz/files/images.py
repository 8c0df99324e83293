"""Grey images from PNG files."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from swviz.files.upload import (
    DEFAULT_LIMITS,
    Limits,
    PathOrBytes,
    Upload,
    only_file_errors,
    open_upload,
)

PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_NEEDED_CHUNKS = (b"IHDR", b"PLTE", b"IDAT", b"IEND")


def load_image(
    source: PathOrBytes, name: str | None = None, *, limits: Limits = DEFAULT_LIMITS
) -> NDArray[np.uint8]:
    """Read a PNG image as grey levels from 0 (black) to 255 (white).

    Integers, because local binary patterns compare neighbouring values exactly.
    Colours become their luma (ITU-R 601), transparency is ignored, and of 16 bits the
    upper 8 are kept.

    Parameters
    ----------
    source : str, path or bytes
    name : str, optional
        What to call it in messages.
    limits : Limits
        The size in the image's header is compared with ``max_pixels`` before anything
        is expanded.

    Returns
    -------
    ndarray of shape (height, width), uint8, read-only

    Raises
    ------
    DiagramFileError
        If it is not a PNG image, too large, cut off or damaged.
    """
    with only_file_errors(name):
        upload = open_upload(source, name, limits)
        needed = _needed_chunks(upload)
        try:
            with Image.open(io.BytesIO(needed), formats=["PNG"]) as image:
                grey = _as_grey(image)
        # Pillow raises many kinds, SyntaxError among them, on damaged images.
        except Exception as error:
            raise upload.error(
                f"the PNG image is damaged ({error}); save it again"
            ) from None
    grey.setflags(write=False)
    return grey


def _as_grey(image: Image.Image) -> NDArray[np.uint8]:
    if image.mode.startswith("I"):
        return (np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8)
    return np.array(image.convert("L"), dtype=np.uint8)


def _needed_chunks(upload: Upload) -> bytes:
    """Check size and checksums, and keep only what the pixels need.

    Texts, colour profiles and animations in a PNG image can be bombs of their own, or
    make Pillow warn.
    """
    data = upload.data
    if not data.startswith(PNG_MAGIC):
        raise upload.error("this is not a PNG image; convert it to PNG")
    kept = [PNG_MAGIC]
    position = len(PNG_MAGIC)
    kind = b""
    while kind != b"IEND":
        head = data[position : position + 8]
        if len(head) < 8:
            raise upload.error("the PNG image ends early; was it cut off?")
        size, kind = struct.unpack(">I4s", head)
        end = position + 12 + size
        if end > len(data):
            raise upload.error("the PNG image ends early; was it cut off?")
        if kind in _NEEDED_CHUNKS:
            checked = memoryview(data)[position + 4 : end - 4]
            if zlib.crc32(checked) != int.from_bytes(data[end - 4 : end]):
                raise upload.error("a checksum in the image is wrong; save it again")
            if len(kept) == 1:
                _check_size(upload, kind, data[position + 8 : end - 4])
            kept.append(data[position:end])
        position = end
    return b"".join(kept)


def _check_size(upload: Upload, kind: bytes, header: bytes) -> None:
    if kind != b"IHDR" or len(header) != 13:
        raise upload.error("the PNG image does not start with its size; save it again")
    width, height = struct.unpack(">II", header[:8])
    upload.check("max_pixels", width * height, "pixels")
    if not width or not height:
        raise upload.error("the PNG image has no pixels")
