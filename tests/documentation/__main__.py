"""Write what is made, and say what has changed."""

from tests.documentation.made import ROOT, made

for path, text in made().items():
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
