"""Paper: its tables and figures, measured again."""
