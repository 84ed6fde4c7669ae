"""Request paths that have led out of a public folder somewhere, or to what is hidden in it.

Each is what stands in the request line, percent-encoded as an attacker sends it. None may be answered with `SECRET`.
"""

_UP = (
    "..",
    "%2e%2e",
    "%2E.",
    ".%2e",
    "%252e%252e",
    "%c0%ae%c0%ae",
    "%e0%80%ae%e0%80%ae",
    "%uff0e%uff0e",
    "..;",
    "..%00",
    "..%20",
    "...",
)
_SLASH = ("/", "%2f", "%2F", "%252f", "\\", "%5c", "%5C", "%255c", "%c0%af", "%e0%80%af", "%c1%9c", "//", "/./", ";/")

TRAVERSALS = tuple(
    f"/{before}{up}{slash}{target}"
    for before in ("", "css/", "css%2f", "app.css/", "out/")
    for up in _UP
    for slash in _SLASH
    for target in ("secret.txt", "public-2/secret.txt")
)

ABSOLUTE = (
    "/etc/passwd",
    "//etc/passwd",
    "///etc/passwd",
    "/%2fetc/passwd",
    "/%2f%2fetc%2fpasswd",
    "/file:///etc/passwd",
    "/C:/Windows/win.ini",
    "/C:%5cWindows%5cwin.ini",
    "/%5c%5cserver%5cshare%5csecret.txt",
    "/proc/self/environ",
    "/~root/.env",
    "/%7e/.env",
)

HIDDEN = (
    "/.env",
    "/%2eenv",
    "/.ENV",
    "/./.env",
    "/css/../.env",
    "/css/%2e%2e/.env",
    "/.env%00",
    "/.env%00.css",
    "/.env%20",
    "/.env.",
    "/.env/",
    "/.env;.css",
    "/.env%3f",
    "/.env::$DATA",
    "/.git/config",
    "/.git%2fconfig",
    "/%2egit/config",
    "/.git/",
    "/shown.txt",
    "/SHOWN.TXT",
    "/link.txt",
    "/link.txt.gz",
    "/out/secret.txt",
    "/out/public-2/secret.txt",
    "/loop.txt",
    "/loop.txt/loop.txt",
)

SECOND_SPELLINGS = (
    "/css",
    "/css/",
    "/app.css/",
    "/app.css/x",
    "//app.css",
    "/css//deep/page.css",
    "/./app.css",
    "/css/./deep/page.css",
    "/css/../app.css",
    "/css%5cdeep%5cpage.css",
    "/app.css%00",
    "/app.css%00.txt",
    "/%00",
    "/app.css%0a",
    "/app.css%20",
    "/app.css.",
    "/app.css;jsessionid=1",
    "/%ff",
    "/%ed%a0%80",
    "/%ed%b3%bf",
    "/%f4%90%80%80",
    "/" + "a" * 5000,
    "/" + "a/" * 3000,
    "/" + "%2e%2e/" * 500 + "etc/passwd",
    "/" + "../" * 500 + "etc/passwd",
    "/app.css" + "/." * 500,
    "/%",
    "/%2",
    "/%zz",
    "/app.css%",
)

NEVER = (*TRAVERSALS, *ABSOLUTE, *HIDDEN, *SECOND_SPELLINGS)
