"""What the app knows of the inside of other packages: nothing else may.

One file per package. ``SWVIZ_COMPAT=off`` in the environment runs the app without any
of it: slower; closed sessions stay in memory; a widget that changes while it is drawn
for the first time may lag behind. A release that works otherwise inside does without
the patch concerned.
``SWVIZ_COMPAT=-release,-make_models`` leaves out some, to see what each is worth.
Tried with Bokeh 3.9 and Panel 1.9.
"""

import os

_SAID = os.environ.get("SWVIZ_COMPAT", "on").lower().replace(" ", "").split(",")


def uses(patch: str) -> bool:
    """Tell whether a patch is to be used; asked when the app is imported.

    Parameters
    ----------
    patch : str
        Its name in small letters.
    """
    return not {"off", "0", "no", f"-{patch}"} & set(_SAID)
