"""SEP-2663, the Tasks extension: what binds servers."""

from tests.requirements.requirement import Requirement, page

_tasks = page("MCP-TASKS", "SEP-2663")

TASKS: tuple[Requirement, ...] = (
    _tasks(
        1,
        "Capability Negotiation",
        "No task is made for a request that does not declare the extension.",
        "lazymcp/test_task_run.py::test_a_client_without_tasks_waits_for_the_result",
        "lazymcp/test_task_wire.py::test_only_this_very_request_says_that_the_client_takes_tasks",
    ),
    _tasks(
        2,
        "Capability Negotiation",
        "Where only a task would do, such a request is refused with -32021, naming the extension.",
        "lazymcp/test_task_run.py::test_a_required_task_needs_a_client_that_takes_it",
    ),
    _tasks(
        3,
        "Polymorphic Results",
        'The result that makes a task has the resultType "task".',
        "lazymcp/test_task_run.py::test_what_takes_longer_than_a_moment_becomes_a_task",
    ),
    _tasks(
        4,
        "Polymorphic Results",
        "No other result has it.",
        "lazymcp/test_wire.py::test_the_judge_refuses_what_is_not_of_the_revision",
        "lazymcp/test_clauses.py::test_every_method_answers_with_a_result_type_that_is_negotiated",
    ),
    _tasks(
        5,
        "Task Status",
        "A task is failed only by a JSON-RPC error.",
        "lazymcp/test_task_methods.py::test_a_json_rpc_error_is_a_failed_task",
        "lazymcp/test_task_methods.py::test_a_tool_that_fails_is_a_completed_task",
    ),
    _tasks(
        6,
        "Task Creation",
        "A task is durable before its id leaves.",
        "lazymcp/test_task_run.py::test_a_task_that_cannot_be_kept_is_none",
        "lazymcp/test_task_store.py::test_what_was_created_is_found_as_it_was",
    ),
    _tasks(
        7,
        "Response",
        "tasks/get tells of a working task.",
        "lazymcp/test_task_methods.py::test_a_task_works_and_then_has_its_result",
    ),
    _tasks(
        8,
        "Response",
        "tasks/get tells of a task that waits for input, with every request that is open.",
        "lazymcp/test_task_methods.py::test_a_task_asks_and_goes_on_with_the_answers",
    ),
    _tasks(
        9,
        "Response",
        "tasks/get tells of a completed task, with its result.",
        "lazymcp/test_task_methods.py::test_a_task_works_and_then_has_its_result",
    ),
    _tasks(
        10,
        "Response",
        "tasks/get tells of a cancelled task.",
        "lazymcp/test_task_methods.py::test_a_cancelled_task_ends_its_function_and_stays_cancelled",
    ),
    _tasks(
        11,
        "Response",
        "tasks/get tells of a failed task, with its error.",
        "lazymcp/test_task_methods.py::test_a_json_rpc_error_is_a_failed_task",
    ),
    _tasks(
        12,
        "Response",
        'tasks/get has the resultType "complete".',
        "lazymcp/test_task_methods.py::test_a_task_works_and_then_has_its_result",
        "lazymcp/test_task_wire.py::test_each_status_has_its_own_member_and_no_other",
    ),
    _tasks(
        13,
        "Task Update Requests",
        "No key of inputRequests is used twice in the life of a task.",
        "lazymcp/test_task_steps.py::test_a_question_is_not_put_twice",
        "lazymcp/test_task_methods.py::test_a_form_that_is_filled_in_wrongly_is_put_again_under_another_key",
    ),
    _tasks(
        14,
        "Task Update Requests",
        "tasks/update is acknowledged with an empty result.",
        "lazymcp/test_task_methods.py::test_whatever_an_update_says_it_is_answered",
    ),
    _tasks(
        15,
        "Task Update Requests",
        'It has the resultType "complete".',
        "lazymcp/test_task_methods.py::test_whatever_an_update_says_it_is_answered",
    ),
    _tasks(
        16,
        "Task Cancellation",
        "tasks/cancel is acknowledged with an empty result.",
        "lazymcp/test_task_methods.py::test_a_cancelled_task_ends_its_function_and_stays_cancelled",
    ),
    _tasks(
        17,
        "Task Cancellation",
        'It has the resultType "complete".',
        "lazymcp/test_task_methods.py::test_a_cancelled_task_ends_its_function_and_stays_cancelled",
    ),
    _tasks(
        18,
        "Task Status Notifications",
        "Listening to tasks without declaring the extension is refused with -32021.",
        "lazymcp/test_tasks.py::test_listening_to_tasks_needs_the_extension_and_the_owner",
    ),
    _tasks(
        19,
        "Task Status Notifications",
        "No progress and no log message of a task stands on a subscription.",
        "lazymcp/test_clauses_asking.py::test_a_task_says_nothing_but_its_status_to_who_listens",
    ),
    _tasks(
        20,
        "Protocol Errors",
        "tasks/get of an unknown task is -32602.",
        "lazymcp/test_task_methods.py::test_hostile_ids_are_unknown_ids",
    ),
    _tasks(
        21,
        "Protocol Errors",
        "tasks/get, tasks/update and tasks/cancel without declaring the extension are -32021.",
        "lazymcp/test_task_methods.py::test_a_client_that_does_not_declare_the_extension_is_refused",
    ),
    _tasks(
        22,
        "Task Execution Errors",
        "A failed task has the JSON-RPC error.",
        "lazymcp/test_task_methods.py::test_a_json_rpc_error_is_a_failed_task",
    ),
    _tasks(
        23,
        "Task Execution Errors",
        "A task whose tool answered isError is completed, with that result.",
        "lazymcp/test_task_methods.py::test_a_tool_that_fails_is_a_completed_task",
    ),
    _tasks(
        24,
        "Security Considerations",
        "The id of a task cannot be guessed.",
        "lazymcp/test_task_methods.py::test_ids_cannot_be_guessed",
    ),
    _tasks(
        25,
        "Security Considerations",
        "Every request about a task is checked for whose it is.",
        "lazymcp/test_task_methods.py::test_another_callers_task_is_like_none",
        "lazymcp/test_task_methods.py::test_a_task_is_closed_to_a_token_that_no_longer_opens_its_tool",
    ),
)
