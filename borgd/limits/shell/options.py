"""Options and operands of a command's arguments. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def operands(arguments: Sequence[str], takes_value: frozenset[str] = frozenset()) -> list[str]:
    """What is left of ``arguments`` without options and their values."""
    found: list[str] = []
    skip = False
    for place, argument in enumerate(arguments):
        if skip:
            skip = False
        elif argument == "--":
            return found + list(arguments[place + 1 :])
        elif argument.startswith("-") and len(argument) > 1:
            skip = argument in takes_value
        else:
            found.append(argument)
    return found


def has(arguments: Sequence[str], *options: str) -> bool:
    """Whether one of ``options`` is given: long ones with or without a value, short ones alone or in a cluster."""
    for argument in arguments:
        if argument == "--":
            return False
        for option in options:
            if argument == option or (option.startswith("--") and argument.startswith(option + "=")):
                return True
            short = len(option) == 2 and argument.startswith("-") and not argument.startswith("--")
            if short and option[1] in argument[1:]:
                return True
    return False


def option_values(
    arguments: Sequence[str], letters_with_value: str, long_with_value: frozenset[str]
) -> list[tuple[str, str]]:
    """Each option with its value: clusters taken apart, ``-oFILE``, ``-o FILE``, ``--output FILE`` and ``--output=FILE``.

    What stands behind ``--`` or is not an option comes under an empty name.
    """
    found: list[tuple[str, str]] = []
    place = 0
    while place < len(arguments):
        argument = arguments[place]
        place += 1
        following = arguments[place] if place < len(arguments) else ""
        if argument == "--":
            found += [("", word) for word in arguments[place:]]
            break
        if argument.startswith("--"):
            name, equals, value = argument.partition("=")
            if not equals and name in long_with_value:
                value, place = following, place + 1
            found.append((name, value))
        elif argument.startswith("-") and len(argument) > 1:
            for at, letter in enumerate(argument[1:], 1):
                if letter in letters_with_value:
                    value = argument[at + 1 :]
                    if not value:
                        value, place = following, place + 1
                    found.append(("-" + letter, value))
                    break
                found.append(("-" + letter, ""))
        else:
            found.append(("", argument))
    return found
