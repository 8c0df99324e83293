"""Reading and writing diagrams, clouds, meshes and images.

The only door for bytes from strangers: nothing is unpickled, sizes are read from
headers before anything is expanded, every cost has a limit that the caller can
raise, and every failure is one :class:`~swviz.errors.DiagramFileError` that names
the file, the place in it and the cure.

======================  =========================================================
ending                  what is read by :func:`load`
======================  =========================================================
csv, tsv, txt           a row per point: birth and death, perhaps a dimension; a
                        header may name more columns (see `swviz.files.tables`)
pers                    GUDHI's rows: birth and death, perhaps preceded by the
                        dimension, perhaps preceded by the field
npy, npz                arrays of shape (n, 2), (n, 3) or (samples, n, 2 or 3)
json                    lists in the manner of GUDHI, ripser or giotto
======================  =========================================================

The content decides where it contradicts the ending. A folder, or a list of files, is
read as one set whose labels may come from names (:func:`labels_from_names`).
"""

from swviz.files.clouds import load_cloud
from swviz.files.images import load_image
from swviz.files.meshes import Mesh, load_mesh
from swviz.files.names import labels_from_names
from swviz.files.reading import load
from swviz.files.upload import Limits
from swviz.files.writing import save

__all__ = [
    "Limits",
    "Mesh",
    "labels_from_names",
    "load",
    "load_cloud",
    "load_image",
    "load_mesh",
    "save",
]
