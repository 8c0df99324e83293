"""What a session is about: its data set, pair and settings, and how they are told."""
