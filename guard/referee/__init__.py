"""The trusted process of one device: owns inputs, seeds, expected outputs, clock and verdict."""
