"""What the app knows of the inside of other packages: nothing else may."""
