"""The tabs, one Viewer each; each works alone in a notebook."""
