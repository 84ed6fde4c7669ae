"""SEP-2640 (Skills) and SEP-1865 (Apps): what binds servers."""

from tests.requirements.requirement import Requirement, page

_skills = page("MCP-SKILLS", "SEP-2640")
_apps = page("MCP-APPS", "SEP-1865")

EXTENSIONS: tuple[Requirement, ...] = (
    _skills(
        1,
        "Capability Negotiation",
        "Who declares skills answers skills/list and skills/get.",
        "lazymcp/test_methods.py::test_skills_have_methods",
    ),
    _skills(
        2,
        "Capability Negotiation",
        "Who declares directoryRead answers resources/directory/read.",
        "lazymcp/test_methods.py::test_skills_have_methods",
    ),
    _skills(
        3,
        "Capability Negotiation",
        "Who declares skills declares resources.",
        "lazymcp/test_clauses_features.py::test_a_server_of_nothing_but_a_skill_declares_resources",
    ),
    _skills(
        4,
        "Skill Format",
        "A skill follows the Agent Skills specification.",
        "lazymcp/test_skills.py::test_a_manifest_that_hosts_would_refuse_is_refused_here",
    ),
    _skills(
        5,
        "Skill Format",
        "It has a SKILL.md at its root.",
        "lazymcp/test_skills.py::test_a_folder_without_a_manifest_is_no_skill",
    ),
    _skills(
        6,
        "Skill Format",
        "SKILL.md begins with frontmatter that has a name and a description.",
        "lazymcp/test_skills.py::test_a_manifest_that_hosts_would_refuse_is_refused_here",
    ),
    _skills(
        7,
        "Resource Mapping",
        "The last segment of a skill's path is its name.",
        "lazymcp/test_clauses_features.py::test_the_uri_of_a_skill_ends_in_its_name",
    ),
    _skills(
        8,
        "Resource Mapping",
        "The name keeps the naming rules of Agent Skills.",
        "lazymcp/test_skills.py::test_names_are_lower_case_words_with_single_hyphens",
    ),
    _skills(
        9,
        "Frontmatter",
        "An entry has the frontmatter of its SKILL.md, unchanged.",
        "lazymcp/test_skills.py::test_frontmatter_is_json_with_all_keys_verbatim",
    ),
    _skills(
        10,
        "Resources",
        "Every entry has resources.",
        "lazymcp/test_skills.py::test_every_file_is_served_once_with_its_digest_and_size",
    ),
    _skills(
        11,
        "Resources",
        "resources is complete: every file once, SKILL.md included.",
        "lazymcp/test_skills.py::test_every_file_is_served_once_with_its_digest_and_size",
    ),
    _skills(
        12,
        "Resources",
        "Every file in it lies in the skill's folder.",
        "lazymcp/test_skills.py::test_a_link_may_lead_to_a_file_of_the_same_skill_only",
    ),
    _skills(
        13,
        "Resources",
        "Every file has its size and its digest of the raw bytes.",
        "lazymcp/test_skills.py::test_every_file_is_served_once_with_its_digest_and_size",
    ),
    _skills(
        14,
        "Resources",
        'A skill whose content is made anew has "dynamic" instead; ours are read once and never change while they are served.',
        "lazymcp/test_skills.py::test_what_is_served_does_not_change_with_the_folder",
    ),
    _skills(
        15,
        "Listing Skills",
        'skills/list has the resultType "complete".',
        "lazymcp/test_clauses_features.py::test_results_about_skills_are_complete_and_cacheable",
    ),
    _skills(
        16,
        "Listing Skills",
        "skills/list has ttlMs and cacheScope.",
        "lazymcp/test_clauses_features.py::test_results_about_skills_are_complete_and_cacheable",
    ),
    _skills(
        17,
        "Getting a Skill",
        'skills/get has the resultType "complete".',
        "lazymcp/test_clauses_features.py::test_results_about_skills_are_complete_and_cacheable",
    ),
    _skills(
        18,
        "Getting a Skill",
        "An unknown skill is -32602.",
        "lazymcp/test_methods.py::test_skills_have_methods",
    ),
    _skills(
        19,
        "Getting a Skill",
        "skills/get answers for every skill that is served.",
        "lazymcp/test_clauses_features.py::test_results_about_skills_are_complete_and_cacheable",
    ),
    _skills(
        20,
        "Getting a Skill",
        "skills/get has ttlMs and cacheScope.",
        "lazymcp/test_clauses_features.py::test_results_about_skills_are_complete_and_cacheable",
    ),
    _skills(
        21,
        "Reading Directories",
        'resources/directory/read has the resultType "complete".',
        "lazymcp/test_clauses_features.py::test_results_about_skills_are_complete_and_cacheable",
    ),
    _skills(
        22,
        "Reading Directories",
        "What is no directory is -32602.",
        "lazymcp/test_methods.py::test_skills_have_methods",
    ),
    _skills(
        23,
        "Reading Directories",
        "Every directory of a skill can be read.",
        "lazymcp/test_directories.py::test_directories_nest",
        "lazymcp/test_directories.py::test_the_root_of_a_skill_lists_its_direct_children",
    ),
    _skills(
        24,
        "Error Handling",
        "A file of a skill that is not served is -32602.",
        "lazymcp/test_clauses_features.py::test_no_uri_leads_out_of_a_skill",
    ),
    _apps(
        1,
        "Content Requirements",
        "The URI of a page begins with ui://.",
        "lazymcp/test_apps.py::test_what_cannot_be_rendered_is_refused_at_registration",
    ),
    _apps(
        2,
        "Content Requirements",
        "Its type is text/html;profile=mcp-app.",
        "lazymcp/test_apps.py::test_a_static_page_is_given_as_it_stands",
    ),
    _apps(
        3,
        "Content Requirements",
        "Its content is text or base64.",
        "lazymcp/test_apps.py::test_a_static_page_is_given_as_it_stands",
    ),
    _apps(
        4,
        "Content Requirements",
        "It is an HTML5 document.",
        "lazymcp/test_widget.py::test_the_layout_is_a_complete_document_with_a_safe_title",
        "lazymcp/test_views.py::test_a_page_is_a_complete_document_with_the_script_of_its_host",
    ),
    _apps(
        5,
        "Resource Discovery",
        "The page that a tool names exists.",
        "lazymcp/test_registry.py::test_a_tool_cannot_show_a_page_that_nobody_publishes",
    ),
    _apps(
        6,
        "Graceful Degradation",
        "A tool with a page answers with content that means something without it.",
        "lazymcp/test_methods.py::test_a_tool_answers_in_structure_text_and_metadata",
    ),
    _apps(
        7,
        "UIResourceMeta",
        "The form of domain is looked up at the host's.",
        left_to="the app's author; AppSpec.domain is passed on as it is written",
    ),
)
