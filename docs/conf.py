"""How Sphinx makes the site of the Markdown pages, which stay what they are on a plain viewer.

    sphinx-build -W -n -q -c docs . build/site

The source folder is the whole project, so that links from one page to another, and to files of the
project, are the same on the site as in a clone.
"""

import sys
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer

sys.path.insert(0, str(Path(__file__).parent / "_site"))
import api_pages
import contents
import docstrings

import mercer

project = "mercer"
author = "The mercer developers"
copyright = author
version = release = mercer.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser", "sphinx_gallery.gen_gallery"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "benchmarks/*.md"]
exclude_patterns = ["**/_site", "**/_build", "docs/notebooks", "build", ".venv"]

html_theme = "furo"
html_title = "mercer"
html_extra_path = ["_site/index.html"]
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_show_sphinx = False

myst_heading_anchors = 6
numpydoc_show_class_members = False
autodoc_typehints = "none"
autodoc_docstring_signature = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "docs/gallery",
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": "/plot_",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
    "plot_gallery": True,
}


def setup(app: Any) -> None:
    """Write the pages of the reference, and put the pages in order."""
    app.add_lexer("mermaid", TextLexer)
    app.connect("builder-inited", lambda app: api_pages.write(Path(app.srcdir) / "docs" / "api"))
    app.connect("autodoc-process-docstring", docstrings.with_plain_formulas, priority=900)
    app.connect("missing-reference", docstrings.resolve)
    app.connect("source-read", contents.as_on_the_site)
