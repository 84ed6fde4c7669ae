"""lazyapp/developing/service_table.py: services in their order, and whether they answer."""

from lazyapp.developing.service_table import service_table
from lazyapp.secret_words import MASK
from tests.lazyapp.developing.panel_site import opened


async def test_services_are_told_in_the_order_in_which_they_open(tmp_path):
    async with opened(tmp_path) as site:
        found = (await service_table(site.app))["services"]
        page = await site.page("/_lazy/services")
    assert [(row.name, row.per_request, row.needs, row.state) for row in found] == [
        ("Mailer", False, (), "failing"),
        ("Shop", False, ("Mailer",), "silent"),
        ("Basket", True, (), "waiting"),
        ("AsyncSession", True, (), "waiting"),
    ]
    assert [row.opening_ms is None for row in found] == [False, False, True, True]
    assert found[0].place.split("/")[-1].startswith("panel_site.py:")
    assert found[0].wrong == f"ConnectionError: postgresql://ada:{MASK}@db/shop is away"
    assert "hunter2" not in page
    assert "✗ fails" in page


async def test_an_application_without_any_has_a_page_too(tmp_path):
    async with opened(tmp_path, dependencies=None) as site:
        assert "AsyncSession" in await site.page("/_lazy/services")
