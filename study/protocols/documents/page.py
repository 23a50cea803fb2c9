"""A document as one HTML file that needs nothing else: its style is inside, it has no script, and it prints well."""

from __future__ import annotations

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from study.protocols.documents.parts import Block, Bullets, Document, Facts, Gap, Heading, Paragraph, Table, Words
from study.protocols.templatetags.prose import prose

STYLE = """
:root { color-scheme: light; }
body { max-width: 44rem; margin: 2.5rem auto; padding: 0 1.25rem; color: #17211e; background: #fff;
  font: 1rem/1.55 "Charter", "Cambria", "Georgia", serif; }
h1 { font-size: 1.9rem; line-height: 1.2; font-weight: 400; margin: 0 0 .6rem; }
h2 { font-size: 1.35rem; font-weight: 400; margin: 2.2rem 0 .5rem; border-top: 1px solid #d9dfdb; padding-top: 1rem; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .3rem; }
h4 { font-size: 1rem; font-weight: 500; font-style: italic; margin: 1rem 0 .2rem; }
.about, footer { color: #4a5653; } footer { margin-top: 3rem; border-top: 1px solid #d9dfdb; padding-top: .8rem; }
footer, .about { font-size: .9rem; overflow-wrap: anywhere; }
blockquote { margin: .6rem 0; padding: .1rem 1rem; border-inline-start: 3px solid #7c8985; background: #f5f7f5; }
blockquote p { margin: .5rem 0; }
dl { margin: .6rem 0; } dt { font-weight: 600; margin-top: .5rem; } dd { margin: 0 0 0 1.2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; margin: .6rem 0; }
th, td { text-align: start; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid #d9dfdb; }
.gap { background: #fbf0d9; border: 1px solid #e3c687; padding: .4rem .7rem; color: #7a4b00; }
@media print { body { margin: 0; max-width: none; font-size: 10.5pt; } h2, h3, h4 { break-after: avoid; }
  blockquote, tr, .gap { break-inside: avoid; } }
"""


def page(document: Document) -> str:
    body = format_html_join("\n", "{}", ((_shown(block),) for block in document.blocks))
    return format_html(
        '<!doctype html>\n<html lang="{}" dir="{}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{}</title>\n'
        '<style>{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n<p class="about">{}</p>\n{}\n</main>\n'
        "<footer>{}</footer>\n</body>\n</html>\n",
        document.language,
        document.direction,
        document.title,
        mark_safe(STYLE),
        document.title,
        document.about,
        body,
        document.foot,
    )


def _row(cells: tuple[str, ...], tag: str) -> SafeString:
    return format_html_join("", "<{0}>{1}</{0}>", ((mark_safe(tag), cell) for cell in cells))


def _shown(block: Block) -> SafeString:
    match block:
        case Heading():
            return format_html("<h{0}>{1}</h{0}>", block.level + 1, block.text)
        case Paragraph():
            return format_html("<p>{}</p>", block.text)
        case Words():
            return format_html("<blockquote>{}</blockquote>", prose(block.text))
        case Bullets():
            return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", ((one,) for one in block.items)))
        case Facts():
            return format_html("<dl>{}</dl>", format_html_join("", "<dt>{}</dt><dd>{}</dd>", block.pairs))
        case Table():
            rows = format_html_join("", "<tr>{}</tr>", ((_row(row, "td"),) for row in block.rows))
            return format_html(
                '<div class="wide"><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>',
                _row(block.head, "th"),
                rows,
            )
        case Gap():
            said = conditional_escape(_("still empty"))
            return format_html('<p class="gap"><b>{}:</b> {} <code>{}</code></p>', said, block.label, block.key)
