"""What users of agents and of neighbouring tools complained of in public: each kind, and the tests that keep it from borgd.

Two lists are followed, by the numbers of their rows: complaints about hooks (``HOOKS``), and bug reports of tools that do a
neighbouring job (``TOOLS``). Rows of one kind stand together. A kind without a test says why there is none.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parents[1]

FIELD = "pipeline/test_field_agents.py"
STOPS = "pipeline/test_field_stops.py"
REPEATS = "pipeline/test_field_repeats.py"
SESSIONS = "pipeline/test_field_sessions.py"
PAYLOADS = "pipeline/test_field_payloads.py"
SETTINGS = "pipeline/test_field_settings.py"
STORE = "pipeline/test_field_store.py"
UNTRUSTED = "pipeline/test_field_untrusted.py"
LEAKS = "server/test_field_leaks.py"
REQUESTS = "server/test_server_requests.py"
CLAIM = "server/test_lifecycle_claim.py"
ENDING = "server/test_lifecycle_end.py"
ANSWERS = "hooks/test_client_answers.py"
START = "hooks/test_client_start.py"
GOLDEN = "agents/test_golden_agents.py"
COLD = "agents/test_cold_paths.py"
READERS = "agents/test_transcript_readers.py"
PLUGINS = "agents/test_plugins.py"
TWO = "agents/test_opencode_and_omp.py"
FOLLOWING = "sessions/test_transcript_following.py"
DOCTOR = "cli/test_doctor.py"


class ComplaintKind(NamedTuple):
    """``rows`` of the list, what went wrong, and the tests as ``file::function``; ``why`` there is none."""

    rows: str
    kind: str
    tests: tuple[str, ...] = ()
    why: str = ""


HOOKS = (
    ComplaintKind(
        "1 8",
        "a Stop that is always blocked never ends, where the agent sets no limit either",
        (f"{STOPS}::test_twenty_stops_in_a_row_are_blocked_at_most_once", f"{FIELD}::test_no_agent_is_held_by_its_stops"),
    ),
    ComplaintKind(
        "2 4 38",
        "nothing to say must still be one JSON object",
        (f"{STOPS}::test_a_stop_without_anything_to_say_prints_one_empty_object",),
    ),
    ComplaintKind(
        "5",
        "work between two Stops resets the count of blocks",
        (f"{STOPS}::test_the_count_of_blocks_survives_tool_calls_and_reports_of_the_machine",),
    ),
    ComplaintKind(
        "7",
        "an answer that says continue",
        (
            f"{STOPS}::test_an_answer_never_says_continue_and_never_adds_context_to_a_stop",
            f"{FIELD}::test_nothing_is_ever_allowed_asked_or_deferred",
        ),
    ),
    ComplaintKind(
        "10",
        "what a subagent is told at its end may never be read",
        (f"{SESSIONS}::test_a_turn_that_lets_a_subagent_do_the_edits_is_asked_like_any_other",),
    ),
    ComplaintKind(
        "11",
        "a Stop of a turn that was broken off",
        (
            f"{TWO}::test_a_stop_is_blocked_once_and_never_where_nobody_can_go_on",
            f"{PLUGINS}::test_nobody_goes_on_after_an_interruption_or_an_error",
        ),
    ),
    ComplaintKind(
        "13",
        "a block costs another request and is worth it seldom",
        (
            "recall/test_stop.py::test_graded_block",
            "pipeline/test_pipeline_recall.py::test_a_turn_that_changed_nothing_is_not_blocked",
        ),
    ),
    ComplaintKind(
        "14",
        "one settings file counted as two: each hook runs twice",
        (
            f"{REPEATS}::test_a_hundred_copies_of_an_event_are_told_at_most_once",
            f"{FIELD}::test_the_same_event_twice_is_told_once_in_every_agent",
        ),
    ),
    ComplaintKind(
        "16",
        "a hooks file that is loaded by itself and named once more",
        ("agents/test_claude_field.py::test_hooks_registered_twice_speak_once",),
    ),
    ComplaintKind(
        "17",
        "registrations that multiply",
        ("pipeline/test_pipeline_recall.py::test_a_hundred_identical_requests_at_once_have_one_effect",),
    ),
    ComplaintKind(
        "19 74 76",
        "an end of a subagent that nobody knows",
        (
            f"{STOPS}::test_a_subagents_stop_without_its_id_is_nothing_at_all",
            f"{SESSIONS}::test_unknown_subagents_that_stop_leave_nothing_behind",
        ),
    ),
    ComplaintKind(
        "20",
        "a Stop while something works in the background is not the turn's end",
        (
            f"{STOPS}::test_a_running_background_task_keeps_the_turn_open",
            "pipeline/test_turns_in_background.py::test_an_agent_at_work_puts_it_off_but_not_for_ever",
        ),
    ),
    ComplaintKind("22 23", "one plugin loaded twice", (f"{PLUGINS}::test_two_copies_in_one_process_act_as_one",)),
    ComplaintKind(
        "25 26",
        "a payload that comes through the settings of another agent",
        (
            f"{COLD}::test_cursor_through_an_entry_of_claude_code_is_cursor",
            f"{COLD}::test_claude_code_through_an_entry_made_for_codex_is_claude_code",
            f"{COLD}::test_the_payload_decides_where_it_is_unmistakable",
        ),
    ),
    ComplaintKind(
        "28 29 31",
        "a standard input that is never closed",
        (
            f"{ANSWERS}::test_stdin_that_is_never_closed_costs_nothing",
            f"{REQUESTS}::test_a_whole_object_is_answered_whether_or_not_the_stream_ends",
        ),
    ),
    ComplaintKind("32", "a standard input that is a terminal", (f"{ANSWERS}::test_a_terminal_is_not_read",)),
    ComplaintKind(
        "34", "a shell's profile that prints before the answer", (f"{DOCTOR}::test_a_profile_that_prints_is_told",)
    ),
    ComplaintKind(
        "35",
        "an answer that was lost after its message was taken off the list",
        (f"{PAYLOADS}::test_an_answer_that_comes_too_late_was_not_told",),
    ),
    ComplaintKind(
        "37", "a second document because of a variable", (f"{ANSWERS}::test_no_variable_of_the_agent_adds_a_byte",)
    ),
    ComplaintKind(
        "40",
        "anything but JSON on the standard output",
        (
            f"{ANSWERS}::test_bad_input_is_answered_with_nothing",
            f"{REQUESTS}::test_an_answer_of_ours_that_is_no_object_never_gets_out",
        ),
    ),
    ComplaintKind(
        "41",
        "a byte order mark, names in another case",
        (
            f"{FIELD}::test_a_byte_order_mark_and_white_space_are_read_over",
            "agents/test_other_agents.py::test_copilots_payloads_of_both_casings_say_the_same",
        ),
    ),
    ComplaintKind(
        "43",
        "paths with spaces and quotes",
        (
            "cli/test_install.py::test_paths_with_spaces_quotes_and_umlauts",
            "agents/test_other_agents.py::test_an_entry_names_its_client",
        ),
    ),
    ComplaintKind(
        "44 82",
        "a relative path that breaks with the directory",
        (
            f"{SETTINGS}::test_every_entry_is_one_absolute_program_with_bounds",
            f"{ANSWERS}::test_the_client_runs_from_any_directory",
        ),
    ),
    ComplaintKind(
        "46", "a directory by another of its names", (f"{FIELD}::test_a_directory_by_any_of_its_names_is_one_place",)
    ),
    ComplaintKind(
        "47",
        "a home or a state directory that is a link",
        (
            f"{SETTINGS}::test_a_home_behind_a_link_with_a_space_and_a_quote",
            f"{SETTINGS}::test_a_state_directory_that_is_a_link_to_another_volume",
        ),
    ),
    ComplaintKind(
        "49 101",
        "an answer in another agent's words, or without a word that the agent needs",
        (
            f"{GOLDEN}::test_golden",
            "agents/test_golden_claude_code.py::test_golden",
            "agents/test_golden_plugins.py::test_a_recorded_event_gets_its_golden_answer",
        ),
    ),
    ComplaintKind(
        "50 52",
        "each hook costs a process, or seconds",
        (
            "perf/test_bench_client.py::test_a_hook_call_against_its_floors",
            f"{ANSWERS}::test_the_client_imports_these_modules_and_no_other",
        ),
    ),
    ComplaintKind(
        "53",
        "the start of a daemon inside of a hook's deadline",
        (f"{START}::test_a_session_start_brings_a_daemon_up_and_does_not_wait_for_it",),
    ),
    ComplaintKind(
        "55 56",
        "a session's end that never comes or is cut off",
        (
            f"{STORE}::test_an_end_that_is_due_comes_by_itself",
            f"{STORE}::test_a_session_left_open_by_an_earlier_daemon_gets_its_end",
        ),
    ),
    ComplaintKind(
        "58 97",
        "events that nobody needs, or that void the whole file",
        (f"{FIELD}::test_only_events_with_a_use_are_installed", f"{SETTINGS}::test_only_events_that_are_used_are_asked_for"),
    ),
    ComplaintKind(
        "59 61",
        "an id that changes in the middle of a conversation",
        (f"{SESSIONS}::test_a_session_that_changes_its_id_midway_is_the_same_conversation",),
    ),
    ComplaintKind(
        "62",
        "what is said after a compaction does not arrive",
        (f"{FOLLOWING}::test_lessons_come_again_at_the_next_prompt_after_a_compaction_that_no_hook_told",),
    ),
    ComplaintKind(
        "64 73 85",
        "hooks that are there and are not called",
        (f"{DOCTOR}::test_after_an_install_and_a_start_all_is_well",),
    ),
    ComplaintKind(
        "65",
        "a context above the agent's limit is cut to a preview",
        (
            f"{PAYLOADS}::test_no_context_reaches_the_hosts_limit_in_its_own_units",
            "agents/test_other_agents.py::test_codex_counts_bytes",
        ),
    ),
    ComplaintKind(
        "67", "a prompt before any session start", (f"{SESSIONS}::test_a_prompt_before_any_session_start_is_served",)
    ),
    ComplaintKind(
        "68",
        "subagents that share their parent's session id",
        (
            f"{FIELD}::test_a_subagent_is_a_session_of_its_own_with_the_id_of_its_parent",
            "pipeline/test_pipeline_limits.py::test_a_subagent_that_reads_has_its_own_budget_inside_its_parents",
        ),
    ),
    ComplaintKind(
        "70",
        "session files of hundreds of megabytes",
        (f"{SESSIONS}::test_a_transcript_of_two_hundred_megabytes_costs_a_bounded_read",),
    ),
    ComplaintKind(
        "71", "tokens told at several ends of one session", (f"{READERS}::test_copilot_adds_up_the_ends_of_a_session",)
    ),
    ComplaintKind("77", "a subagent that is killed", (f"{SESSIONS}::test_a_killed_subagent_is_forgotten_by_its_silence",)),
    ComplaintKind(
        "79",
        "a subagent's idle taken for its parent's",
        (f"{TWO}::test_a_subagent_is_its_own_and_its_prompt_nobodys",),
    ),
    ComplaintKind(
        "80 83",
        "the agent's idea of the project is another than where it works",
        (
            f"{SESSIONS}::test_main_checkout_worktree_and_moved_clone_are_one_place",
            f"{SESSIONS}::test_the_place_is_read_from_every_event",
        ),
    ),
    ComplaintKind(
        "86",
        "an agent that writes its settings without our entries",
        (
            f"{DOCTOR}::test_each_broken_part_is_named",
            "cli/test_install.py::test_install_keeps_what_is_there_and_twice_is_once",
        ),
    ),
    ComplaintKind("88", "work in the home directory itself", (f"{SETTINGS}::test_work_in_the_home_directory_itself",)),
    ComplaintKind(
        "89",
        "a limit that an agent does not let us keep",
        (f"{DOCTOR}::test_what_cannot_be_done_in_an_agent_is_said_once_it_is_installed",),
    ),
    ComplaintKind(
        "91", "a call that was denied and ran", (f"{STORE}::test_a_call_that_ran_although_it_was_denied_is_seen",)
    ),
    ComplaintKind(
        "92",
        "calls that no hook told of",
        (
            "pipeline/test_pipeline_limits.py::test_a_call_that_only_the_transcript_tells_of_counts_too",
            f"{READERS}::test_a_call_without_an_id_at_the_hook_has_none_here",
        ),
    ),
    ComplaintKind(
        "94",
        "a command line that changes is not trusted any more",
        (
            f"{FIELD}::test_a_command_line_stays_the_same_for_ever",
            "cli/test_install_trust.py::test_ours_are_trusted_and_the_way_back_is_to_the_byte",
        ),
    ),
    ComplaintKind(
        "95",
        "an end that is missing, a prompt without words",
        (
            f"{FIELD}::test_a_turn_that_never_stopped_is_over_with_the_next_prompt",
            f"{SESSIONS}::test_an_empty_prompt_is_no_turn",
        ),
    ),
    ComplaintKind(
        "98",
        "an older version that refuses an event of a newer one",
        why="every version of Cursor that borgd is made for knows the events that it installs; older ones are no aim",
    ),
    ComplaintKind(
        "100",
        "a place from which the agent runs no hooks",
        (
            "agents/test_other_agents.py::test_settings_are_where_the_agent_looks",
            "cli/test_install_plugin.py::test_settings_are_where_the_agent_looks",
        ),
    ),
    ComplaintKind(
        "103 106 107",
        "an allow, an ask or a defer of a hook's breaks the dialog",
        (f"{FIELD}::test_nothing_is_ever_allowed_asked_or_deferred",),
    ),
    ComplaintKind(
        "104",
        "one question that is counted twice",
        (
            f"{REPEATS}::test_one_permission_dialog_for_a_question_is_one_interruption",
            f"{FIELD}::test_an_ask_is_metered_once_however_often_its_hook_runs",
        ),
    ),
    ComplaintKind(
        "109",
        "permissions that are answered by themselves",
        (
            f"{PLUGINS}::test_a_permission_that_is_answered_at_once_was_never_put_to_anybody",
            f"{PLUGINS}::test_an_approval_that_is_settled_at_once_was_never_put_to_anybody",
        ),
    ),
    ComplaintKind(
        "110",
        "an approval that nobody was asked for",
        (f"{FIELD}::test_an_approval_that_may_never_be_shown_is_nobodys_interruption",),
    ),
)

TOOLS = (
    ComplaintKind("1", "a daemon that answers nonsense", (f"{ANSWERS}::test_a_strange_answer_is_nothing",)),
    ComplaintKind(
        "3", "a daemon that listens and is dead", (f"{ANSWERS}::test_a_deaf_socket_and_a_stopped_daemon_time_out",)
    ),
    ComplaintKind(
        "4", "a child that keeps the socket", (f"{CLAIM}::test_a_child_that_outlives_the_daemon_does_not_keep_its_socket",)
    ),
    ComplaintKind("6", "seconds after each tool call", ("perf/test_bench_client.py::test_the_daemons_answer_under_load",)),
    ComplaintKind(
        "7", "a hook inside of a hook", (f"{ANSWERS}::test_two_nested_and_fifty_parallel_clients_are_all_answered",)
    ),
    ComplaintKind(
        "9", "time that grows with the number of sessions", (f"{LEAKS}::test_the_number_of_old_sessions_changes_no_event",)
    ),
    ComplaintKind(
        "9b",
        "two hooks on one event cost more than both",
        (f"{SETTINGS}::test_only_events_that_are_used_are_asked_for",),
    ),
    ComplaintKind(
        "11 12 14",
        "endless Stops",
        (
            f"{STOPS}::test_a_host_without_any_flag_or_message_is_not_held_either",
            f"{FIELD}::test_no_agent_is_held_by_its_stops",
        ),
    ),
    ComplaintKind("15", "a field that the agent does not take at that event", (f"{GOLDEN}::test_golden",)),
    ComplaintKind(
        "17",
        "a process that lives and does not answer keeps a new one away",
        (f"{ENDING}::test_a_stopped_daemon_is_ended_all_the_same",),
    ),
    ComplaintKind(
        "18", "a process for each session", (f"{LEAKS}::test_three_hundred_sessions_start_no_process_and_cost_little",)
    ),
    ComplaintKind(
        "20",
        "one event that brings the daemon down again and again",
        (f"{REQUESTS}::test_a_crash_behind_the_socket_is_told_once_and_the_daemon_stays",),
    ),
    ComplaintKind(
        "21", "connections that are cut off", (f"{REQUESTS}::test_a_thousand_connections_cut_off_leave_nothing_behind",)
    ),
    ComplaintKind(
        "23 24 26",
        "two daemons on one place",
        (
            f"{CLAIM}::test_of_many_started_at_once_exactly_one_serves",
            f"{CLAIM}::test_a_second_one_never_takes_the_socket_of_the_first",
            f"{CLAIM}::test_one_state_directory_has_one_daemon_whatever_the_runtime_directory",
        ),
    ),
    ComplaintKind(
        "27", "a daemon that dies at its start", (f"{START}::test_a_daemon_that_dies_at_boot_is_left_alone_for_a_while",)
    ),
    ComplaintKind(
        "29",
        "a lock that was left behind, or whose directory is gone",
        (
            f"{CLAIM}::test_a_lock_file_that_was_removed_is_noticed",
            f"{CLAIM}::test_a_runtime_directory_that_went_is_noticed",
        ),
    ),
    ComplaintKind(
        "30", "a file system that changes no modes", (f"{CLAIM}::test_a_chmod_that_fails_as_on_bind_mounts_is_tolerated",)
    ),
    ComplaintKind(
        "32", "too much context", (f"{PAYLOADS}::test_five_hundred_lessons_that_all_match_stay_within_every_cap",)
    ),
    ComplaintKind(
        "33", "a context above the agent's limit", (f"{PAYLOADS}::test_no_context_reaches_the_hosts_limit_in_its_own_units",)
    ),
    ComplaintKind(
        "35 36",
        "what never reached the model counts as told",
        (f"{PAYLOADS}::test_what_is_logged_as_shown_is_in_the_text", "pipeline/test_told_where_it_is_heard.py"),
    ),
    ComplaintKind(
        "38",
        "nothing that becomes a word; a directory that is gone",
        (
            f"{UNTRUSTED}::test_nothing_to_say_is_never_a_word",
            f"{SESSIONS}::test_a_directory_that_is_gone_is_no_reason_to_fail",
        ),
    ),
    ComplaintKind("39", "what was told is learned", (f"{UNTRUSTED}::test_our_own_words_come_back_and_teach_nothing",)),
    ComplaintKind(
        "41", "a very long session", (f"{SESSIONS}::test_a_transcript_of_two_hundred_megabytes_costs_a_bounded_read",)
    ),
    ComplaintKind(
        "42",
        "the tool's own sessions",
        ("pipeline/test_field_recursion.py::test_hooks_inside_what_we_started_say_and_leave_nothing",),
    ),
    ComplaintKind(
        "44 45",
        "memory of another repository, or lost with a worktree",
        (
            "stores/test_repository.py::test_two_clones_with_the_same_directory_name_are_two_repositories",
            f"{SESSIONS}::test_main_checkout_worktree_and_moved_clone_are_one_place",
        ),
    ),
    ComplaintKind("47", "hooks that run twice", (f"{REPEATS}::test_a_hundred_copies_of_an_event_are_told_at_most_once",)),
    ComplaintKind("48", "entries that pile up", (f"{SETTINGS}::test_installed_five_times_the_settings_are_the_same_bytes",)),
    ComplaintKind(
        "50",
        "the program removed under a running session",
        (f"{LEAKS}::test_an_environment_deleted_under_a_running_session_leaves_hooks_that_pass",),
    ),
    ComplaintKind("51", "no daemon at all", (f"{ANSWERS}::test_without_a_daemon_every_event_is_answered",)),
    ComplaintKind(
        "53 54",
        "a sandbox that forbids the socket",
        (f"{START}::test_a_sandbox_that_forbids_connect_is_told_from_a_daemon_that_is_not_there",),
    ),
    ComplaintKind(
        "56", "many sessions that write at once", (f"{LEAKS}::test_thirty_two_clients_at_once_leave_whole_journals",)
    ),
    ComplaintKind(
        "57", "a burst on a slow disk", (f"{STORE}::test_a_burst_on_a_slow_disk_loses_nothing_that_was_answered",)
    ),
    ComplaintKind(
        "59",
        "a torn last line",
        ("journal/test_journal_damage.py::test_a_journal_cut_at_any_byte_loses_at_most_the_torn_record_and_says_so",),
    ),
    ComplaintKind(
        "60",
        "line separators inside of a text",
        ("journal/test_journal_append.py::test_no_line_separator_inside_a_string_splits_a_record",),
    ),
    ComplaintKind(
        "61",
        "a lock that is lost with any descriptor",
        ("journal/test_journal_lock.py::test_opening_and_closing_everything_else_does_not_release_the_lock",),
    ),
    ComplaintKind(
        "62",
        "many watchers of the same files",
        ("agents/test_field_complaints.py::test_only_the_daemon_watches",),
    ),
    ComplaintKind(
        "64",
        "a secret on one path of several",
        ("pipeline/test_no_secret_in_any_file.py::test_no_part_of_a_secret_is_in_any_file",),
    ),
    ComplaintKind(
        "65",
        "another user, a path in an id",
        (
            f"{CLAIM}::test_another_uid_is_refused_even_where_the_directories_let_it_through",
            f"{SESSIONS}::test_a_session_id_names_no_file_outside_its_directory",
        ),
    ),
    ComplaintKind(
        "67 70",
        "orders in somebody else's text",
        (
            f"{UNTRUSTED}::test_a_teammates_words_stay_inside_their_fence",
            f"{UNTRUSTED}::test_a_teammate_cannot_make_a_standing_rule_by_saying_so",
        ),
    ),
    ComplaintKind("68", "a lesson about an attack", (f"{UNTRUSTED}::test_a_lesson_that_quotes_an_attack_is_kept_and_told",)),
    ComplaintKind("70b", "good memory hidden for ever", (f"{STORE}::test_every_exclusion_has_its_reason_and_its_way_back",)),
    ComplaintKind(
        "72",
        "a spent budget told as a result",
        ("pipeline/test_pipeline_limits.py::test_the_call_over_the_budget_is_denied_with_what_was_spent_and_what_to_do",),
    ),
    ComplaintKind(
        "73",
        "cached input counted again and again",
        ("limits/test_investigation.py::test_cached_tokens_are_told_and_charged_to_nothing",),
    ),
    ComplaintKind(
        "75", "a limit on one way of several", ("limits/test_investigation_store.py::test_processes_share_one_budget",)
    ),
    ComplaintKind(
        "76",
        "severity, a visible rest, no repeats, a bypass that ends and is written down",
        (
            "limits/test_interrupts_verdict.py::test_stakes_at_the_threshold_bypass_a_spent_budget",
            "limits/test_interrupts_verdict.py::test_a_ceiling_of_zero_is_never_passed_not_by_stakes_either",
            "limits/test_interrupts_desk.py::test_the_same_ask_again_joins_the_pending_one_uncharged",
            "limits/test_interrupts_desk.py::test_an_excluded_sources_ask_is_recorded_and_neither_shown_nor_queued",
        ),
    ),
    ComplaintKind("78", "a watch on the whole disk", ("stores/test_watcher.py::test_home_and_root_are_never_watched",)),
    ComplaintKind(
        "79", "watchers that answer each other", ("stores/test_watcher.py::test_what_we_wrote_ourselves_is_no_news",)
    ),
    ComplaintKind(
        "81",
        "hooks that take long without a word",
        (
            f"{REQUESTS}::test_ping_and_status_say_who_answers",
            f"{ANSWERS}::test_a_hundred_megabytes_are_answered_within_the_deadline",
        ),
    ),
    ComplaintKind("82", "an end that is killed early", (f"{STORE}::test_an_end_that_is_due_comes_by_itself",)),
    ComplaintKind(
        "84",
        "benchmarks that never ran",
        ("perf/test_perf_marks.py::test_the_command_for_benchmarks_takes_every_file_and_the_other_none",),
    ),
    ComplaintKind(
        "85",
        "an index that is built for each call; imports that are slow",
        (
            "recall/test_bm25.py::test_nothing_is_rebuilt_by_an_append",
            f"{ANSWERS}::test_the_client_imports_these_modules_and_no_other",
        ),
    ),
    ComplaintKind(
        "87",
        "an empty store, a word that half of it has",
        (
            "recall/test_bm25.py::test_an_empty_index_has_no_scores",
            "recall/test_bm25.py::test_a_word_in_half_of_the_documents_is_worth_something",
        ),
    ),
    ComplaintKind(
        "88",
        "a runtime directory that is not there or not ours",
        (
            f"{CLAIM}::test_a_runtime_directory_that_is_not_ours_is_not_used",
            f"{START}::test_client_and_daemon_compute_the_same_path_in_every_environment",
        ),
    ),
)

ROWS = {
    "hooks": (
        HOOKS,
        "1 2 4 5 7 8 10 11 13 14 16 17 19 20 22 23 25 26 28 29 31 32 34 35 37 38 40 41 43 44 46 47 49 50 52 53 55 56 58 59 "
        "61 62 64 65 67 68 70 71 73 74 76 77 79 80 82 83 85 86 88 89 91 92 94 95 97 98 100 101 103 104 106 107 109 110",
    ),
    "tools": (
        TOOLS,
        "1 3 4 6 7 9 9b 11 12 14 15 17 18 20 21 23 24 26 27 29 30 32 33 35 36 38 39 41 42 44 45 47 48 50 51 53 54 56 57 59 "
        "60 61 62 64 65 67 68 70 70b 72 73 75 76 78 79 81 82 84 85 87 88",
    ),
}
"""By list: its kinds, and the numbers of all its rows."""


@cache
def functions_of(file: str) -> frozenset[str]:
    """The test functions of a file below the tests."""
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in functions if node.name.startswith("test_"))


@pytest.mark.parametrize("name", ROWS)
def test_every_row_is_of_one_kind(name: str) -> None:
    kinds, rows = ROWS[name]
    found = [row for kind in kinds for row in kind.rows.split()]
    assert sorted(found) == sorted(rows.split())


@pytest.mark.parametrize("one", [*HOOKS, *TOOLS], ids=lambda one: one.kind)
def test_every_kind_has_tests_that_are_there_or_says_why_not(one: ComplaintKind) -> None:
    assert bool(one.tests) != bool(one.why)
    for test in one.tests:
        file, _, function = test.partition("::")
        assert functions_of(file), f"{file} has no tests"
        assert not function or function in functions_of(file), test


def test_only_the_daemon_watches() -> None:
    """Every command reads what it needs when it runs; one process watches, whatever the number of commands."""
    package = TESTS.parent / "borgd"
    watching = [path for path in package.rglob("*.py") if "journal.watch" in path.read_text("utf-8")]
    rooms = {path.relative_to(package).parts[0] for path in watching}
    assert rooms <= {"server", "sessions", "stores"}
    importers = [path.name for path in package.rglob("*.py") if "from watchfiles import" in path.read_text("utf-8")]
    assert importers == ["watch.py"]
