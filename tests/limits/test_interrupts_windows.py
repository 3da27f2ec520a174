"""Windows and what is spent in them: DST both ways in three zones, clocks set back, zones and windows changed, 24 hours."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.clock import known_zone
from borgd.errors import LimitError
from borgd.limits.interrupts.accounts import InterruptAccount
from borgd.limits.interrupts.windows import DAY_MS, Window, day_span, instant, named

HOUR = 3_600_000
CHAIN = ("", "a")


def _ms(zone: str, *when: int) -> int:
    return int(datetime(*when, tzinfo=ZoneInfo(zone)).timestamp() * 1000)  # type: ignore[arg-type,misc]


DAYS = [
    ("Europe/Berlin", (2026, 3, 29), 23),
    ("Europe/Berlin", (2026, 10, 25), 25),
    ("America/New_York", (2026, 3, 8), 23),
    ("America/New_York", (2026, 11, 1), 25),
    ("Australia/Lord_Howe", (2026, 10, 4), 23.5),
    ("Australia/Lord_Howe", (2026, 4, 5), 24.5),
    ("America/Havana", (2026, 3, 8), 23),  # midnight itself does not exist
    ("America/Havana", (2026, 11, 1), 25),  # the first hour comes twice
    ("Asia/Tokyo", (2026, 3, 29), 24),
]


@pytest.mark.parametrize(("zone", "day", "hours"), DAYS)
def test_a_day_has_the_hours_that_its_clocks_give_it(zone: str, day: tuple[int, int, int], hours: float) -> None:
    first, last = day_span(_ms(zone, *day, 12), zone)
    assert (last - first) / HOUR == hours
    assert datetime.fromtimestamp(first / 1000, ZoneInfo(zone)).date() == datetime(*day).date()
    assert datetime.fromtimestamp((last - 1) / 1000, ZoneInfo(zone)).date() == datetime(*day).date()


@pytest.mark.parametrize(("zone", "day", "hours"), DAYS)
def test_spend_lasts_exactly_the_day(zone: str, day: tuple[int, int, int], hours: float) -> None:
    first, last = day_span(_ms(zone, *day, 12), zone)
    account = InterruptAccount(Window("day", zone))
    account.advance(first)
    account.charge(first, CHAIN, bypass=False)
    for at in range(first, last, HOUR // 2):
        account.advance(at)
        assert account.spent["a"] == 1
    account.advance(last - 1)
    assert account.spent["a"] == 1
    account.advance(last)
    assert account.spent["a"] == 0


def test_the_hour_that_comes_twice_counts_once() -> None:
    account = InterruptAccount(Window("day", "Europe/Berlin"))
    for fold in (0, 1):
        when = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=fold)
        now = int(when.timestamp() * 1000)
        account.advance(now)
        account.charge(now, CHAIN, bypass=False)
    assert account.spent[""] == 2


@given(
    st.integers(0, 4_000_000_000_000),
    st.sampled_from(sorted({zone for zone, _, _ in DAYS} | {"Pacific/Apia", "Africa/Cairo"})),
)
def test_days_tile_time(now: int, zone: str) -> None:
    first, last = day_span(now, zone)
    assert first <= now < last or now < DAY_MS
    assert day_span(last, zone)[0] == last
    assert day_span(last - 1, zone) == (first, last)


@pytest.mark.parametrize("extreme", [-(1 << 62), -1, 0, 1 << 60])
def test_instants_outside_the_calendar_are_clamped(extreme: int) -> None:
    first, last = day_span(extreme, "Asia/Tokyo")
    assert first < last


def test_an_unknown_zone_is_an_error_that_says_so() -> None:
    with pytest.raises(LimitError, match="IANA"):
        day_span(0, "Mars/Olympus")
    assert not known_zone("../../etc/passwd")
    assert not known_zone("")


@pytest.mark.parametrize("window", [Window("day", "Asia/Tokyo"), Window("rolling")])
def test_a_window_is_read_back_from_its_text(window: Window) -> None:
    assert str(named(str(window))) == str(window)


def test_an_unknown_window_is_a_day_in_utc() -> None:
    assert named("day Mars/Olympus") == named("lunar") == Window("day", "UTC")


def test_instants_are_shown_in_utc() -> None:
    assert instant(1_767_225_600_000) == "2026-01-01T00:00:00+00:00"


# rolling


def test_a_rolling_charge_counts_for_24_hours_to_the_millisecond() -> None:
    account = InterruptAccount(Window("rolling"))
    account.advance(DAY_MS)
    account.charge(DAY_MS, CHAIN, bypass=True)
    account.advance(2 * DAY_MS - 1)
    assert account.spent["a"] == account.bypassed["a"] == 1
    account.advance(2 * DAY_MS)
    assert account.spent["a"] == account.bypassed["a"] == 0


@given(st.lists(st.integers(0, 3 * DAY_MS), min_size=1, max_size=30))
def test_rolling_spend_is_the_charges_of_the_last_24_hours(gaps: list[int]) -> None:
    account, now = InterruptAccount(Window("rolling")), 0
    made: list[int] = []
    for gap in gaps:
        now += gap // 4
        account.advance(now)
        assert account.spent[""] == sum(now - at < DAY_MS for at in made)
        account.charge(now, CHAIN, bypass=False)
        made.append(now)


# the clock set back


def _spent_at(window: Window, *times: int) -> InterruptAccount:
    account = InterruptAccount(window)
    for at in times:
        account.advance(at)
        account.charge(at, CHAIN, bypass=False)
    return account


@pytest.mark.parametrize("window", [Window("day", "UTC"), Window("rolling")])
@pytest.mark.parametrize("back", [1, HOUR, DAY_MS, 3 * DAY_MS, 400 * DAY_MS])
def test_a_clock_set_back_un_spends_nothing(window: Window, back: int) -> None:
    now = _ms("UTC", 2026, 7, 1, 10)
    account = _spent_at(window, now, now + 1, now + 2)
    account.advance(now - back)
    assert account.spent["a"] == 3
    account.advance(now + 3)
    assert account.spent["a"] == 3, "and forward again"


def test_a_clock_set_back_twice_and_forward_un_spends_nothing() -> None:
    tuesday = _ms("UTC", 2026, 7, 7, 10)
    account = _spent_at(Window("day", "UTC"), tuesday)
    for at in (tuesday - DAY_MS, tuesday - 2 * DAY_MS, tuesday - DAY_MS, tuesday):
        account.advance(at)
        assert account.spent["a"] == 1


def test_a_rolling_charge_counts_again_when_the_clock_comes_back_to_it() -> None:
    now = _ms("UTC", 2026, 7, 7, 10)
    account = _spent_at(Window("rolling"), now)
    for at, spent in ((now - 3 * DAY_MS, 1), (now - 2 * DAY_MS, 0), (now - 1, 0), (now, 1), (now + DAY_MS, 0)):
        account.advance(at)
        assert account.spent["a"] == spent, at


def test_a_clock_far_ahead_and_back_costs_one_day_not_all_until_then() -> None:
    now = _ms("UTC", 2026, 7, 1, 10)
    account = _spent_at(Window("day", "UTC"), _ms("UTC", 2031, 1, 1, 10))
    account.advance(now)
    assert account.spent["a"] == 1
    account.advance(now + DAY_MS)
    assert account.spent["a"] == 0


@given(
    st.lists(st.tuples(st.integers(-3 * DAY_MS, 3 * DAY_MS), st.booleans()), min_size=1, max_size=25),
    st.sampled_from([Window("day", "Europe/Berlin"), Window("rolling")]),
)
def test_no_step_back_ever_lowers_the_spend(steps: list[tuple[int, bool]], window: Window) -> None:
    account, now = InterruptAccount(window), 1_780_000_000_000
    account.advance(now)
    for step, charged in steps:
        before = account.spent["a"]
        now += step
        account.advance(now)
        if step < 0:
            assert account.spent["a"] >= before
        if charged:
            account.charge(now, CHAIN, bypass=False)
            assert account.spent["a"] >= 1


@given(st.lists(st.tuples(st.integers(0, DAY_MS), st.sampled_from(["", "a", "a/b"])), max_size=30))
def test_counters_are_what_a_count_from_scratch_says(steps: list[tuple[int, str]]) -> None:
    window, now = Window("day", "Europe/Berlin"), 1_780_000_000_000
    account, made = InterruptAccount(window), []
    for step, path in steps:
        now += step
        account.advance(now)
        account.charge(now, (path,), bypass=path == "a")
        made.append((now, path))
        first, last = window.span(now)
        for name in ("", "a", "a/b"):
            assert account.spent[name] == sum(first <= at < last and path == name for at, path in made)


# given back


def test_a_charge_given_back_is_gone_once() -> None:
    account = InterruptAccount(Window("day", "UTC"))
    account.advance(DAY_MS)
    one, two = (account.charge(DAY_MS, CHAIN, bypass=True) for _ in range(2))
    account.give_back(one)
    account.give_back(one)
    assert account.spent["a"] == account.bypassed["a"] == 1
    account.give_back(two)
    assert account.spent["a"] == 0


def test_a_charge_given_back_after_its_window_changes_nothing_then() -> None:
    account = InterruptAccount(Window("day", "UTC"))
    account.advance(DAY_MS)
    charge = account.charge(DAY_MS, CHAIN, bypass=False)
    account.advance(3 * DAY_MS)
    account.charge(3 * DAY_MS, CHAIN, bypass=False)
    account.give_back(charge)
    assert account.spent["a"] == 1
    account.advance(DAY_MS)
    assert account.spent["a"] == 1, "only what counted is carried back"


# configuration changed in mid-window


ZONES = [("UTC", "Asia/Tokyo"), ("Asia/Tokyo", "America/New_York"), ("Pacific/Kiritimati", "Pacific/Pago_Pago")]


@pytest.mark.parametrize(("before", "after"), [*ZONES, *((b, a) for a, b in ZONES)])
@pytest.mark.parametrize("hour", [0, 7, 15, 23])
def test_a_changed_time_zone_un_spends_nothing_and_ends_at_the_new_midnight(before: str, after: str, hour: int) -> None:
    now = _ms("UTC", 2026, 7, 1, hour)
    account = _spent_at(Window("day", before), now)
    account.advance(now + HOUR, Window("day", before))
    held = account.spent["a"]
    account.advance(now + HOUR, Window("day", after))
    assert account.spent["a"] >= held
    end = day_span(now + HOUR, after)[1]
    account.advance(end - 1)
    assert account.spent["a"] >= held
    account.advance(end)
    assert account.spent["a"] == 0


@pytest.mark.parametrize(
    ("before", "after"), [(Window("day", "UTC"), Window("rolling")), (Window("rolling"), Window("day", "UTC"))]
)
def test_another_kind_of_window_un_spends_nothing(before: Window, after: Window) -> None:
    now = _ms("UTC", 2026, 7, 1, 1)
    account = _spent_at(before, now - 2 * HOUR, now)
    counted = account.spent["a"]
    account.advance(now, after)
    assert account.spent["a"] >= counted
    account.advance(now + 2 * DAY_MS, after)
    assert account.spent["a"] == 0


def test_going_round_the_zones_does_not_win_a_new_budget() -> None:
    now = _ms("UTC", 2026, 7, 1, 12)
    account = _spent_at(Window("day", "UTC"), now)
    for zone in ("Asia/Tokyo", "America/New_York", "Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"):
        account.advance(now, Window("day", zone))
        assert account.spent["a"] == 1


def test_the_part_of_the_working_day() -> None:
    window = Window("day", "Europe/Berlin")
    parts = [window.elapsed(_ms("Europe/Berlin", 2026, 7, 1, hour)) for hour in (0, 8, 14, 20, 23)]
    assert [float(part) for part in parts] == [0, 0, 0.5, 1, 1]


def test_utc_is_utc() -> None:
    assert day_span(int(datetime(2026, 1, 1, 5, tzinfo=UTC).timestamp() * 1000), "UTC")[0] == 1_767_225_600_000
