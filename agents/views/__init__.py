"""Values that screens draw. A view is read from the stores at one moment and contains no handles."""
