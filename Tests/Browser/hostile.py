"""A feed whose texts are attacks, very long, or of unusual characters."""

RUNS = "window.hacked=1"


def offers():
    script = f"<script>{RUNS}</script>"
    attribute = f'" onmouseover="{RUNS}" autofocus onfocus="{RUNS}'
    placed = {"lat": "43.05", "lng": "-87.9"}
    texts = [
        ("1", script, {}),
        ("2", f"<img src=x onerror={RUNS}>", {}),
        ("3", attribute, {}),
        # A quote with a combining accent is one character in Swift, and two code points to a
        # browser.
        ("4", f'"\u0301 onfocus={RUNS} autofocus x="\u0301', {}),
        ("5", f"'\u0301><\u0301svg/onload={RUNS}>", {}),
        ("6", f"{{{{name}}}} {{{{{{main}}}}}} {{{{#cards}}}} ${{{RUNS}}} </title></textarea></style>{script}", {}),
        ("7", "\u202e\u2066\u2067\u202dtxet desrever \u200f\u061c", {}),
        ("8", "W" * 10_000, {}),
        ("9", "many words " * 1000, {}),
        ("10", "Z" + "\u0300\u0301\u0302\u0303\u0304" * 80, {}),
        ("11", "bell\a esc\x1b[31m nul\0 del\x7f", {}),
        ("../../settings", script, {"link": f"data:text/html,{script}"}),
        ("a/b?c=d#e&f=%2e%2e\"'<>", attribute, {"link": f"JaVaScRiPt:{RUNS}"}),
        ("\u202e\u2066rtl id", "\u202eabc", {"link": f" javascript:{RUNS}"}),
        ("14", "A good link", {"link": f'https://example.com/?q="><script>{RUNS}</script>'}),
        ("15", "A scheme of another kind", {"link": "vbscript:x"}),
        ("16", "A link without a scheme", {"link": "//evil.example/"}),
        ("17", "Placed " + script, placed),
        ("18", "Placed " + attribute, dict(placed, lat="43.06")),
        ("19", "W" * 10_000, dict(placed, lat="43.07")),
        ("20", "\u200b\u00ad", {}),
        ("21", "漢字" * 3000, {}),
        ("22", "مرحبا " * 2000, {}),
        ("23", "👩‍👩‍👧‍👦" * 500, {}),
    ]
    return [
        {
            "id": number,
            "name": text,
            "description": text,
            "terms": text,
            "current_value": text,
            "url": "http://127.0.0.1:1/x.png",
            "link": f"javascript:{RUNS}",
            "retailer": text,
            "categories": [text, text[:60]],
            "artist": text,
            "released": text,
            **more,
        }
        for number, text, more in texts
    ]
