"""Lessons: what one is, where they are kept, how text is cleaned, how corrections become lessons."""
