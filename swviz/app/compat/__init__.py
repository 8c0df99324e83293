"""What the app knows of the inside of other packages: nothing else may.

One file per package. ``SWVIZ_COMPAT=off`` in the environment runs the app without any
of it: slower; closed sessions stay in memory; a widget that changes while it is drawn
for the first time may lag behind; narrow pages may be too wide. A release that works
otherwise inside does without the patch concerned.
Tried with Bokeh 3.9 and Panel 1.9.
"""

import os

IS_ON = os.environ.get("SWVIZ_COMPAT", "on").lower() not in ("off", "0", "no")
"""Whether the patches are used; asked once, when the app is imported."""
