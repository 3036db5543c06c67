"""Show what the ledger says: one claim with its evidence, or all of them for another program.

The evidence is the stored one, so that nothing is computed; `dplit verify` computes it anew.
"""

from dplit.cli.options import add
from dplit.cli.text import dump, wrapped
from dplit.court.ledger import PAPERS

HELP = "show a claim and its evidence, export the ledger or the errata"
EXAMPLES = """examples:
  dplit claims show rdf/theorem-1                       statement, verdict, evidence, how to cite
  dplit claims show rdf/theorem-1 --json                the same for another program
  dplit claims export --format csv > claims.csv         a row a claim
  dplit claims export --format bib --paper rdf          BibTeX, an entry a claim
  dplit claims export --format errata > errata.json     what does not stand as printed, by paper
"""
FORMATS = ("csv", "json", "bib", "errata")


OPTIONS = {
    "--format": ("what to print (default: json)", {"choices": FORMATS, "default": "json"}),
    "--paper PAPER": ("one paper's claims (default: every one)", {"choices": PAPERS}),
    "--site URL": ("address of the book, for links in BibTeX", {"default": ""}),
}


def add_arguments(parser):
    """Declare the two actions and their options."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="one claim and its evidence")
    add(show, {"ID": "a claim's id, as rdf/theorem-1"}, ["json"])
    show.set_defaults(act=_show)
    export = actions.add_parser("export", help="the ledger as a file, on standard output")
    add(export, OPTIONS)
    export.set_defaults(act=_export)


def run(arguments):
    """Run the command; returns the exit status."""
    return arguments.act(arguments)


def _show(arguments):
    from dplit.court import claims
    from dplit.court.ledger import evidence_files, export

    try:
        claim = claims.get(arguments.id)
    except KeyError as error:
        arguments.error(error.args[0])
    (record,) = export.records([claim], evidence_files.stored(), evidence_files.since())
    if arguments.json:
        print(dump(record))
    else:
        print("\n".join(wrapped(line) for line in export.in_words(record)))
    return 0


def _export(arguments):
    from dplit.court import claims
    from dplit.court.ledger import evidence_files, export

    ledger, evidence, since = claims.all(), evidence_files.stored(), evidence_files.since()
    if arguments.format == "errata":
        found = export.errata(ledger, evidence, since)
        print(dump({p: found[p] for p in found if arguments.paper in (None, p)}))
        return 0
    chosen = [c for c in ledger if arguments.paper in (None, c.paper)]
    found = export.records(chosen, evidence, since)
    writers = {
        "json": dump,
        "csv": lambda found: export.as_csv(found).rstrip("\n"),
        "bib": lambda found: export.as_bib(found, arguments.site).rstrip("\n"),
    }
    print(writers[arguments.format](found))
    return 0
