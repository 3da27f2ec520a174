"""May a specialist be called? A policy in a small language, its facts, its floor, its versions."""
