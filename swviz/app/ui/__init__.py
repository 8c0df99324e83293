"""How things look: theme, cards, sliders, bars, fields for files. No computation."""
