"""SEP-2663, the Tasks extension: what binds servers."""

from tests.requirements.requirement import Requirement, page

_tasks = page("MCP-TASKS", "SEP-2663")
_LATER = "issue 3"

TASKS: tuple[Requirement, ...] = (
    _tasks(1, "Capability Negotiation", "No task is made for a request that does not declare the extension.", later=_LATER),
    _tasks(
        2,
        "Capability Negotiation",
        "Where only a task would do, such a request is refused with -32021, naming the extension.",
        later=_LATER,
    ),
    _tasks(3, "Polymorphic Results", 'The result that makes a task has the resultType "task".', later=_LATER),
    _tasks(4, "Polymorphic Results", "No other result has it.", later=_LATER),
    _tasks(5, "Task Status", "A task is failed only by a JSON-RPC error.", later=_LATER),
    _tasks(6, "Task Creation", "A task is durable before its id leaves.", later=_LATER),
    _tasks(7, "Response", "tasks/get tells of a working task.", later=_LATER),
    _tasks(8, "Response", "tasks/get tells of a task that waits for input, with every request that is open.", later=_LATER),
    _tasks(9, "Response", "tasks/get tells of a completed task, with its result.", later=_LATER),
    _tasks(10, "Response", "tasks/get tells of a cancelled task.", later=_LATER),
    _tasks(11, "Response", "tasks/get tells of a failed task, with its error.", later=_LATER),
    _tasks(12, "Response", 'tasks/get has the resultType "complete".', later=_LATER),
    _tasks(13, "Task Update Requests", "No key of inputRequests is used twice in the life of a task.", later=_LATER),
    _tasks(14, "Task Update Requests", "tasks/update is acknowledged with an empty result.", later=_LATER),
    _tasks(15, "Task Update Requests", 'It has the resultType "complete".', later=_LATER),
    _tasks(16, "Task Cancellation", "tasks/cancel is acknowledged with an empty result.", later=_LATER),
    _tasks(17, "Task Cancellation", 'It has the resultType "complete".', later=_LATER),
    _tasks(
        18,
        "Task Status Notifications",
        "Listening to tasks without declaring the extension is refused with -32021.",
        later=_LATER,
    ),
    _tasks(19, "Task Status Notifications", "No progress and no log message of a task stands on a subscription.", later=_LATER),
    _tasks(20, "Protocol Errors", "tasks/get of an unknown task is -32602.", later=_LATER),
    _tasks(
        21,
        "Protocol Errors",
        "tasks/get, tasks/update and tasks/cancel without declaring the extension are -32021.",
        later=_LATER,
    ),
    _tasks(22, "Task Execution Errors", "A failed task has the JSON-RPC error.", later=_LATER),
    _tasks(23, "Task Execution Errors", "A task whose tool answered isError is completed, with that result.", later=_LATER),
    _tasks(24, "Security Considerations", "The id of a task cannot be guessed.", later=_LATER),
    _tasks(25, "Security Considerations", "Every request about a task is checked for whose it is.", later=_LATER),
)
