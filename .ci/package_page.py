"""The README as a wheel's page: without what only a checkout has, its picture and links to its files."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

HERE = r"(?!https?:|#)[^)]+"  # a target within the checkout


def page(text):
    """The text without pictures of the checkout, and with its links' words alone.

    A picture is left out with the caption in italics below it.
    """
    text = re.sub(rf"!\[[^\]]*\]\({HERE}\)\n\n(\*[^*]+\*\n\n)?", "", text)
    return re.sub(rf"\[([^\]]+)\]\({HERE}\)", r"\1", text)


class PackagePage(MetadataHookInterface):
    """Gives the wheel and the source distribution their page."""

    def update(self, metadata):
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": page(text)}
