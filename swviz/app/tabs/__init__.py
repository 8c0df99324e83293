"""The tabs, one package each. None knows another."""
