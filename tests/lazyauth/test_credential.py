import logging
import traceback

from lazyauth import Credential


def test_no_representation_shows_a_secret(caplog):
    """design 5: no token, code, password or cookie in any log at any level."""
    credential = Credential("ada", "correct horse", values={"one_time_code": "135246"})
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("test").debug("%s %r %s", credential, credential, [credential])
    shown = caplog.text + f"{credential}" + "".join(traceback.format_exception(ValueError(credential)))
    assert "correct horse" not in shown
    assert "135246" not in shown
    assert repr(credential) == "Credential(identifier='ada', secret=<13 characters>, kind='password', values=<one_time_code>)"


def test_a_credential_is_a_password_unless_it_says_otherwise():
    assert Credential("ada", "secret").kind == "password"
