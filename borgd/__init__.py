"""borgd: gives coding agents the lessons their engineers already taught them, and spares their engineers."""

__version__ = "0.2.0"
