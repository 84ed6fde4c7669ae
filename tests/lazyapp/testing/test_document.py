"""`lazyapp.testing.document`: HTML as a tree."""

from lazyapp.testing.document import parse


def test_words_are_what_a_person_reads() -> None:
    """Scripts, styles, templates, the head and what is hidden are not on the page; blocks part words and spans do not."""
    html = """<title>T</title><style>s</style><script>x</script><template>t</template><p hidden>h</p>
    <p>one<b>two</b><p>three<div>four</div><img alt="five" src="x"> <noscript>six</noscript> &amp; &lt;"""
    assert parse(html).text == "onetwo three four five six & <"


def test_what_ends_where_the_next_begins_need_not_be_closed() -> None:
    """HTML, section 13.1.2.4."""
    root = parse("<ul><li>a<ul><li>b<li>c</ul><li>d</ul><table><tr><td>1<td>2<tr><td>3</table><p>x<p>y")
    items = list(root.all("li"))
    assert [each.text for each in items] == ["a b c", "b", "c", "d"]
    assert [len(list(row.all("td"))) for row in root.all("tr")] == [2, 1]
    assert [each.text for each in root.all("p")] == ["x", "y"]


def test_an_end_without_a_beginning_is_passed_over() -> None:
    root = parse("<form></p><input name=a></span><input name=b></form></form><input name=c>")
    [form] = root.all("form")
    assert [each.get("name") for each in form.all("input")] == ["a", "b"]
    assert [each.get("name") for each in root.all("input")] == ["a", "b", "c"]


def test_of_two_attributes_of_one_name_the_first_counts() -> None:
    """HTML, section 13.2.5.33."""
    [link] = parse("<A HREF=one href=two disabled>x</a>").all("a")
    assert link.get("href") == "one"
    assert link.has("disabled")
    assert link.get("title", "none") == "none"
    assert link.text_without("b") == "x"
